//! Collectives of devices that are processes and whose memory is the host's: each has a connection with each.
//!
//! Input: a place, and where number 0 listens. All tell number 0 where they listen themselves, get the list, and
//! connect. Then every collective is a message to each of the group and one from each, and each device writes its own
//! result as threads of one process do (`host_team`), from copies of what the others have.
//!
//! A connection's messages come in the order of the program, which is the same on both ends, so none needs a number. A
//! message names the collective: devices at different ones find out. Who cannot go on tells all others why; of one that
//! is killed the system closes the connections; of one that hangs no message comes within the timeout. Each of them
//! ends the others with an error that names it.
//!
//! Worked example: reduce-scatter of 8 bytes on two devices: device 0 sends bytes 4..8 and gets bytes 0..4 of device 1.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fornax_module::collective::CollectiveKind;

use super::host_memory;
use super::host_team::{Post, describe, peer, work};
#[cfg(any(feature = "cuda", feature = "rocm"))]
use super::rendezvous::Rendezvous;
use crate::hal::{HalError, HalErrorKind, HalResult, RawCollective, RawExchange};

/// First bytes of every connection: another program's are told from them.
const MAGIC: [u8; 8] = *b"fornax1\n";
/// Longest name of a collective and reason of a failure, bytes.
const TEXT_MAX: usize = 4096;
/// A message of at most so many bytes fits into the system's buffers; larger ones are sent by a thread of their own.
const INLINE: usize = 8 << 10;
/// Time for telling the others why a device cannot go on.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// A look at a connection where nothing may come.
#[cfg(any(feature = "cuda", feature = "rocm"))]
const GLANCE: Duration = Duration::from_millis(1);
/// Between two tries to reach number 0.
const AGAIN: Duration = Duration::from_millis(20);

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A part in a collective.
    Part = 1,
    /// The sender cannot go on.
    Failure = 2,
    /// The sender is done with the run.
    Done = 3,
}

struct Message {
    kind: u8,
    text: String,
    bytes: Aligned,
}

/// A connection. Whole messages are written under the lock, so that a last word never lands in the middle of one.
struct Link {
    reader: Mutex<TcpStream>,
    writer: Mutex<TcpStream>,
}

impl Link {
    fn new(stream: TcpStream) -> std::io::Result<Link> {
        Ok(Link { writer: Mutex::new(stream.try_clone()?), reader: Mutex::new(stream) })
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bytes of another device, aligned for every element type.
struct Aligned {
    words: Vec<u128>,
    bytes: usize,
}

impl Aligned {
    fn new(bytes: usize) -> Aligned {
        Aligned { words: vec![0; bytes.div_ceil(size_of::<u128>())], bytes }
    }

    fn all(&self) -> &[u8] {
        bytemuck::cast_slice(&self.words).get(..self.bytes).unwrap_or_default()
    }

    fn all_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.words).get_mut(..self.bytes).unwrap_or_default()
    }
}

/// One process's place.
pub(super) struct Process {
    number: u32,
    count: u32,
    timeout: Duration,
    /// By device; `None` for itself.
    links: Vec<Option<Link>>,
    /// The others know that this one failed.
    told: Mutex<bool>,
}

/// Meets the other processes.
pub(super) fn connect((number, count): (u32, u32), meeting_point: &str, timeout: Duration) -> HalResult<Process> {
    let deadline = Instant::now() + timeout;
    let links = match number {
        0 => gather(count, meeting_point, deadline),
        _ => come((number, count), meeting_point, deadline),
    };
    let host = |why: String| HalError::new(HalErrorKind::Host, format!("device {number}: {why}"));
    let links = links.map_err(host)?.into_iter().map(|link| link.map(Link::new).transpose());
    let links = links.collect::<std::io::Result<Vec<_>>>().map_err(|error| host(error.to_string()))?;
    Ok(Process { number, count, timeout, links, told: Mutex::new(false) })
}

type Links = Vec<Option<TcpStream>>;

fn none(count: u32) -> Links {
    (0..count).map(|_| None).collect()
}

/// Number 0: waits for all others, then tells each where all listen.
fn gather(count: u32, meeting_point: &str, deadline: Instant) -> Result<Links, String> {
    let listener =
        TcpListener::bind(meeting_point).map_err(|error| format!("listening at {meeting_point}: {error}"))?;
    let (mut links, mut places) = (none(count), vec![String::new(); count as usize]);
    while links.iter().skip(1).any(Option::is_none) {
        let late = || {
            let absent: Vec<usize> =
                (1..links.len()).filter(|&at| links.get(at).is_some_and(Option::is_none)).collect();
            format!("no sign of device(s) {absent:?} at {meeting_point}")
        };
        let (mut stream, from) = accept(&listener, deadline).map_err(|why| why.unwrap_or_else(late))?;
        // Whoever is not one of this run is sent away.
        let Ok((number, port)) = hello(&mut stream, count, deadline) else { continue };
        if let (Some(link @ None), Some(place)) = (links.get_mut(number), places.get_mut(number)) {
            *place = SocketAddr::new(from.ip(), port).to_string();
            *link = Some(stream);
        }
    }
    let list = places.join("\n");
    for stream in links.iter_mut().flatten() {
        let length = (list.len() as u32).to_le_bytes();
        let sent = stream.write_all(&length).and_then(|()| stream.write_all(list.as_bytes()));
        sent.map_err(|error| format!("telling where all listen: {error}"))?;
    }
    Ok(links)
}

/// The others: come to number 0, then connect to those before them and wait for those behind.
fn come((number, count): (u32, u32), meeting_point: &str, deadline: Instant) -> Result<Links, String> {
    let mut links = none(count);
    let mut first = reach(meeting_point, deadline)?;
    let own = first.local_addr().map_err(|error| error.to_string())?;
    let listener = TcpListener::bind(SocketAddr::new(own.ip(), 0)).map_err(|error| format!("listening: {error}"))?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    introduce(&mut first, (number, count), port).map_err(|error| format!("{meeting_point}: {error}"))?;
    let list = places(&mut first, deadline).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => format!("not all of {count} devices came to {meeting_point}"),
        ErrorKind::UnexpectedEof => format!("device 0 at {meeting_point} ended, or is of another run"),
        _ => format!("{meeting_point}: {error}"),
    })?;
    if let Some(link) = links.first_mut() {
        *link = Some(first);
    }
    for (at, place) in list.iter().enumerate().take(number as usize).skip(1) {
        let mut stream = reach(place, deadline).map_err(|why| format!("device {at}: {why}"))?;
        introduce(&mut stream, (number, count), 0).map_err(|error| format!("device {at} at {place}: {error}"))?;
        if let Some(link) = links.get_mut(at) {
            *link = Some(stream);
        }
    }
    while links.iter().skip(number as usize + 1).any(Option::is_none) {
        let late = || "a device behind this one did not come".to_string();
        let (mut stream, _) = accept(&listener, deadline).map_err(|why| why.unwrap_or_else(late))?;
        let Ok((other, _)) = hello(&mut stream, count, deadline) else { continue };
        if let Some(link @ None) = links.get_mut(other).filter(|_| other > number as usize) {
            *link = Some(stream);
        }
    }
    Ok(links)
}

/// Time until the deadline, not zero: a timeout of zero means none.
fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

/// The next connection; `None` where none came in time.
fn accept(listener: &TcpListener, deadline: Instant) -> Result<(TcpStream, SocketAddr), Option<String>> {
    let words = |error: std::io::Error| Some(error.to_string());
    listener.set_nonblocking(true).map_err(words)?;
    loop {
        match listener.accept() {
            Ok((stream, from)) => {
                stream.set_nonblocking(false).map_err(words)?;
                stream.set_nodelay(true).map_err(words)?;
                return Ok((stream, from));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock && Instant::now() < deadline => {
                std::thread::sleep(Duration::from_millis(2));
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Err(None),
            Err(error) => return Err(words(error)),
        }
    }
}

/// Connects, again and again: the other side may not listen yet.
fn reach(place: &str, deadline: Instant) -> Result<TcpStream, String> {
    loop {
        let tried = place.to_socket_addrs().and_then(|mut all| {
            let address = all.next().ok_or_else(|| std::io::Error::other("the name has no address"))?;
            TcpStream::connect_timeout(&address, left(deadline))
        });
        match tried {
            Ok(stream) => {
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                return Ok(stream);
            }
            Err(error) if Instant::now() >= deadline => return Err(format!("nobody listens at {place}: {error}")),
            Err(_) => std::thread::sleep(AGAIN),
        }
    }
}

fn introduce(stream: &mut TcpStream, (number, count): (u32, u32), port: u16) -> std::io::Result<()> {
    let words = [&MAGIC[..], &number.to_le_bytes(), &count.to_le_bytes(), &port.to_le_bytes()];
    stream.write_all(&words.concat())
}

/// Who connected, and where it listens.
fn hello(stream: &mut TcpStream, count: u32, deadline: Instant) -> Result<(usize, u16), ()> {
    // A stranger who says nothing must not hold up the others for long.
    let patience = left(deadline).min(Duration::from_secs(2));
    stream.set_read_timeout(Some(patience)).map_err(drop)?;
    let mut words = [0; 18];
    stream.read_exact(&mut words).map_err(drop)?;
    let (magic, rest) = words.split_at(8);
    let number = |at: usize| rest.get(at..at + 4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or(());
    let port = rest.get(8..10).and_then(|b| b.try_into().ok()).map(u16::from_le_bytes).ok_or(())?;
    let (own, all) = (number(0)?, number(4)?);
    if magic == MAGIC && all == count && own < count { Ok((own as usize, port)) } else { Err(()) }
}

/// Where all listen, as number 0 says.
fn places(stream: &mut TcpStream, deadline: Instant) -> std::io::Result<Vec<String>> {
    stream.set_read_timeout(Some(left(deadline)))?;
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    let mut list = vec![0; length.min(1 << 20)];
    stream.read_exact(&mut list)?;
    Ok(String::from_utf8_lossy(&list).split('\n').map(str::to_string).collect())
}

/// Reads all of a buffer before the deadline.
fn read(stream: &mut TcpStream, mut bytes: &mut [u8], deadline: Instant) -> std::io::Result<()> {
    while !bytes.is_empty() {
        if Instant::now() >= deadline {
            return Err(ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left(deadline)))?;
        match stream.read(bytes) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(n) => bytes = bytes.get_mut(n..).unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn send(stream: &mut TcpStream, kind: Kind, text: &str, bytes: &[u8], timeout: Duration) -> std::io::Result<()> {
    let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
    let text = text.get(..ends.take_while(|end| *end <= TEXT_MAX).last().unwrap_or(0)).unwrap_or_default();
    let mut head = vec![kind as u8];
    head.extend((text.len() as u32).to_le_bytes());
    head.extend((bytes.len() as u64).to_le_bytes());
    head.extend(text.as_bytes());
    stream.set_write_timeout(Some(timeout))?;
    if bytes.len() <= INLINE {
        head.extend(bytes);
        return stream.write_all(&head);
    }
    stream.write_all(&head)?;
    stream.write_all(bytes)
}

fn receive(stream: &mut TcpStream, wanted: usize, deadline: Instant) -> std::io::Result<Message> {
    let mut head = [0; 13];
    read(stream, &mut head, deadline)?;
    let wrong = || std::io::Error::other("a message that is none");
    let (kind, rest) = head.split_first().ok_or_else(wrong)?;
    let text_length = rest.get(..4).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes).ok_or_else(wrong)? as usize;
    let length = rest.get(4..12).and_then(|b| b.try_into().ok()).map(u64::from_le_bytes).ok_or_else(wrong)?;
    if text_length > TEXT_MAX {
        return Err(wrong());
    }
    let mut text = vec![0; text_length];
    read(stream, &mut text, deadline)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    // Only what is expected is read; else the text says that the sender is somewhere else.
    let mut bytes = Aligned::new(if length == wanted as u64 { wanted } else { 0 });
    read(stream, bytes.all_mut(), deadline)?;
    Ok(Message { kind: *kind, text, bytes })
}

impl Process {
    fn link(&self, device: u32) -> Option<&Link> {
        self.links.get(device as usize)?.as_ref()
    }

    /// Sends each of a group its bytes, and gets as many as `wanted` says of each. In the group's order; nothing of
    /// itself.
    fn meet(&self, group: &[u32], what: &str, shares: (&[&[u8]], &[usize])) -> HalResult<Vec<Aligned>> {
        self.meet_within(group, what, shares, self.timeout)
    }

    fn meet_within(
        &self,
        group: &[u32],
        what: &str,
        (given, wanted): (&[&[u8]], &[usize]),
        timeout: Duration,
    ) -> HalResult<Vec<Aligned>> {
        let deadline = Instant::now() + timeout;
        std::thread::scope(|scope| {
            for (&device, &bytes) in group.iter().zip(given) {
                let Some(link) = self.link(device) else { continue };
                // Who is gone is met below: its last words may still be there.
                let write = move || send(&mut locked(&link.writer), Kind::Part, what, bytes, self.timeout);
                if bytes.len() <= INLINE {
                    let _ = write();
                } else {
                    scope.spawn(write);
                }
            }
            let mut got = Vec::with_capacity(group.len());
            for (&device, &wanted) in group.iter().zip(wanted) {
                let Some(link) = self.link(device) else {
                    got.push(Aligned::new(0));
                    continue;
                };
                let message = receive(&mut locked(&link.reader), wanted, deadline);
                let message = message.map_err(|error| silent(device, what, &error, timeout));
                match message.and_then(|message| self.part(device, what, message)) {
                    Ok(bytes) => got.push(bytes),
                    Err(error) => {
                        self.fail(&error.to_string());
                        return Err(error);
                    }
                }
            }
            Ok(got)
        })
    }

    fn part(&self, device: u32, what: &str, message: Message) -> HalResult<Aligned> {
        let (own, text) = (self.number, message.text);
        match message.kind {
            kind if kind == Kind::Part as u8 && text == what => Ok(message.bytes),
            kind if kind == Kind::Part as u8 => {
                Err(peer(format!("device {own} is at {what} while device {device} is at {text}")))
            }
            kind if kind == Kind::Failure as u8 => Err(peer(format!("device {device} failed: {text}"))),
            _ => Err(peer(format!("device {device} is done, and device {own} waits for it at {what}"))),
        }
    }

    /// A word of each device.
    fn words(&self, what: &str, word: [u8; 32], timeout: Duration) -> HalResult<Vec<[u8; 32]>> {
        let all: Vec<u32> = (0..self.count).collect();
        let given = vec![&word[..]; all.len()];
        let got = self.meet_within(&all, what, (&given, &vec![word.len(); all.len()]), timeout)?;
        let words = got.into_iter().zip(0..).map(|(bytes, device)| {
            if device == self.number { word } else { bytes.all().try_into().unwrap_or_default() }
        });
        Ok(words.collect())
    }

    /// Tells all others something, without waiting long.
    fn tell_all(&self, kind: Kind, text: &str) {
        let deadline = Instant::now() + LAST_WORDS;
        for link in self.links.iter().flatten() {
            // A message under way goes first; one that does not end, to a device that hangs, is cut off.
            let mut writer = link.writer.try_lock();
            while writer.is_err() && Instant::now() < deadline {
                std::thread::sleep(Duration::from_millis(1));
                writer = link.writer.try_lock();
            }
            if let Ok(writer) = &mut writer {
                let _ = send(writer, kind, text, &[], left(deadline));
                let _ = writer.shutdown(std::net::Shutdown::Write);
            }
        }
    }

    /// Reads on until the others have hung up: a connection that is closed with something unread takes back the last
    /// words.
    fn listen_out(&self) {
        let deadline = Instant::now() + LAST_WORDS;
        let mut waste = [0; 4096];
        for link in self.links.iter().flatten() {
            let Ok(mut reader) = link.reader.try_lock() else { continue };
            while read(&mut reader, &mut waste, deadline).is_ok() {}
        }
    }
}

/// Why a device did not answer.
fn silent(device: u32, what: &str, error: &std::io::Error, timeout: Duration) -> HalError {
    let seconds = timeout.as_secs_f64();
    peer(match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => {
            format!("no sign of device(s) [{device}] within {seconds} s at {what}")
        }
        ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => {
            format!("device {device} ended without a word at {what}")
        }
        _ => format!("device {device} at {what}: {error}"),
    })
}

/// The bytes of its source that a device gives another one: where they begin, and how many.
fn share(exchange: &RawExchange, from: usize, to: usize) -> (u64, u64) {
    let (all, count) = (exchange.source_bytes, exchange.group.len().max(1) as u64);
    let part = match exchange.kind {
        CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => all / count,
        CollectiveKind::Broadcast if from != 0 => 0,
        _ => all,
    };
    match exchange.kind {
        CollectiveKind::ReduceScatter | CollectiveKind::AllToAll => (to as u64 * part, part),
        _ => (0, part),
    }
}

impl RawCollective for Process {
    fn device(&self) -> u32 {
        self.number
    }

    fn devices(&self) -> u32 {
        self.count
    }

    fn run(&self, exchange: &RawExchange) -> HalResult<()> {
        if exchange.group.is_empty() {
            host_memory::fill(exchange.target, exchange.target_bytes, 0, 1);
            return Ok(());
        }
        let at = exchange.group.iter().position(|&device| device == self.number);
        let at = at.ok_or_else(|| HalError::invalid("a collective of other devices"))?;
        let places = 0..exchange.group.len();
        let given: Vec<&[u8]> = places
            .clone()
            .map(|to| {
                let (offset, bytes) = share(exchange, at, to);
                host_memory::bytes(exchange.source + offset, bytes)
            })
            .collect();
        let wanted: Vec<usize> = places.map(|from| share(exchange, from, at).1 as usize).collect();
        let got = self.meet(&exchange.group, &describe(exchange), (&given, &wanted))?;
        // Where the source would begin of which these are the bytes.
        let post = |(from, bytes): (usize, &Aligned)| {
            let source = match from == at {
                true => exchange.source,
                false => (bytes.all().as_ptr() as u64).wrapping_sub(share(exchange, from, at).0),
            };
            Post { addresses: vec![source], ..Post::default() }
        };
        let posts: Vec<Post> = got.iter().enumerate().map(post).collect();
        work(exchange, &posts, at);
        Ok(())
    }

    fn tell(&self, word: [u8; 32]) -> HalResult<Vec<[u8; 32]>> {
        self.words("the start of the run", word, self.timeout)
    }

    fn fail(&self, why: &str) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *told, true) {
            self.tell_all(Kind::Failure, why);
            self.listen_out();
        }
    }
}

#[cfg(any(feature = "cuda", feature = "rocm"))]
impl Rendezvous for Process {
    fn meet_all(&self, what: &str, word: [u8; 32], timeout: Duration) -> HalResult<Vec<[u8; 32]>> {
        self.words(what, word, timeout)
    }

    fn lost(&self) -> Option<String> {
        let what = "a collective";
        (0..self.count).find_map(|device| {
            // Whoever reads from it now finds out by itself.
            let mut reader = self.link(device)?.reader.try_lock().ok()?;
            let mut kind = [0];
            reader.set_read_timeout(Some(GLANCE)).ok()?;
            match reader.peek(&mut kind) {
                Ok(0) => Some(silent(device, what, &ErrorKind::UnexpectedEof.into(), GLANCE).to_string()),
                Ok(_) if kind == [Kind::Failure as u8] => {
                    let message = receive(&mut reader, 0, Instant::now() + LAST_WORDS);
                    Some(format!("device {device} failed: {}", message.map(|message| message.text).unwrap_or_default()))
                }
                Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                    Some(silent(device, what, &error, GLANCE).to_string())
                }
                _ => None,
            }
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let told = *self.told.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !told {
            self.tell_all(Kind::Done, "");
        }
    }
}
