//! Copies between the host and a device, behind everything queued.

use super::device::{Buffer, BufferSlice, Device};
use super::spans::SpanKind;
use super::{HalError, HalResult, Place};

impl Device {
    /// A new buffer with these bytes.
    pub fn upload_new(&self, bytes: &[u8]) -> HalResult<Buffer> {
        let buffer = self.allocate(bytes.len() as u64, Place::Device)?;
        self.upload(&buffer.all(), bytes)?;
        Ok(buffer)
    }

    /// Copies to the device; `bytes` may be reused when this returns.
    pub fn upload(&self, target: &BufferSlice, bytes: &[u8]) -> HalResult<()> {
        let Some((address, bytes)) = self.upload_of(target, bytes)? else { return Ok(()) };
        self.copy_span(SpanKind::Upload, target.bytes, |raw| raw.upload(address, bytes))
    }

    /// Copies to several places, which do not overlap; all bytes may be reused when this returns.
    pub fn upload_all(&self, pieces: &[(BufferSlice, &[u8])]) -> HalResult<()> {
        let mut found = Vec::with_capacity(pieces.len());
        for (target, bytes) in pieces {
            found.extend(self.upload_of(target, bytes)?);
        }
        if found.is_empty() {
            return Ok(());
        }
        let bytes = found.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        self.copy_span(SpanKind::Upload, bytes, |raw| raw.upload_all(&found))
    }

    /// An upload that was checked; `None` of nothing.
    fn upload_of<'b>(&self, target: &BufferSlice, bytes: &'b [u8]) -> HalResult<Option<(u64, &'b [u8])>> {
        let address = self.range(target, true)?;
        if target.bytes != bytes.len() as u64 {
            return Err(HalError::invalid(format!("upload of {} bytes to {} bytes", bytes.len(), target.bytes)));
        }
        Ok((!bytes.is_empty()).then_some((address, bytes)))
    }

    /// Copies from the device, behind everything queued.
    pub fn download(&self, source: &BufferSlice, bytes: &mut [u8]) -> HalResult<()> {
        let address = self.range(source, false)?;
        if source.bytes != bytes.len() as u64 {
            return Err(HalError::invalid(format!("download of {} bytes to {} bytes", source.bytes, bytes.len())));
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.copy_span(SpanKind::Download, source.bytes, |raw| raw.download(address, bytes))
    }
}
