//! Texts and the pages of caches that all share: who begins, who stops.
//!
//! A text begins when there are pages for all tokens that it has, and for one page more where others run. Where a text
//! that runs needs a page and none is free, the youngest text stops: it gives its pages back and waits in front of the
//! queue, as it has been let in. Then its prompt is read again in chunks and its own tokens go through the calls that
//! they had at first, so that its rows are the same bit for bit; nothing of its text is chosen anew. The
//! oldest text never stops, so there always is one that comes to its end: a lone text has all pages, which are enough
//! for a context.
//!
//! The youngest, not the one that needs the page: it has the least to compute again, and the others do not wait for it.

use fornax_text::{Model, Plan};

use super::{Engine, Text};

impl<'v, M: Model> Engine<'v, M> {
    /// A text begins, or goes on, in free caches; it comes back where there are no pages for it.
    pub(super) fn begin(&mut self, at: usize, number: u64, mut text: Text<'v>) -> Option<Text<'v>> {
        let is_alone = self.slots.iter().all(|slot| slot.text.is_none());
        let context = self.model.context();
        let Some(slot) = self.slots.get_mut(at) else { return Some(text) };
        let kept = slot.sequence.begin(&mut self.model, &text.job.prompt);
        let known = text.writer.text().len();
        let wanted = if is_alone { known } else { (known + self.model.page()).min(context) };
        if !slot.sequence.make_room(&mut self.model, wanted.saturating_sub(kept)) {
            slot.sequence.end(&mut self.model);
            return Some(text);
        }
        if !text.is_begun {
            text.kept = kept;
        }
        slot.number = number;
        slot.text = Some(text);
        None
    }

    /// Pages for what the next call adds to every slot's text, the oldest first; who is left without one stops.
    pub(super) fn make_room(&mut self, plans: &[Option<Plan>]) {
        if self.model.pages().is_none() {
            return;
        }
        let running = self.slots.iter().enumerate().filter(|(_, slot)| slot.text.is_some());
        let mut order: Vec<(u64, usize)> = running.map(|(at, slot)| (slot.number, at)).collect();
        order.sort_unstable();
        while let Some(&(_, oldest)) = order.first() {
            let rows = plans.get(oldest).and_then(Option::as_ref).map_or(1, Plan::rows);
            let slot = self.slots.get_mut(oldest);
            let has_room = slot.is_none_or(|slot| slot.sequence.make_room(&mut self.model, rows));
            if has_room {
                order.remove(0);
            } else if let Some((number, youngest)) = order.pop() {
                self.stop(number, youngest);
            }
        }
    }

    /// A text gives its pages back, and waits in front of those that were stopped before it, which are younger.
    fn stop(&mut self, number: u64, at: usize) {
        self.forget_reading(at);
        if let Some(slot) = self.slots.get_mut(at)
            && let Some(text) = slot.text.take()
        {
            slot.sequence.end(&mut self.model);
            self.stopped.push_front((number, text));
            self.metrics.preempted();
        }
    }

    /// Texts that wait for pages, and that nobody listens to any more, are over.
    pub(super) fn leave_stopped(&mut self) {
        let before = self.stopped.len();
        self.stopped.retain(|(_, text)| !text.job.reply.is_closed());
        for _ in self.stopped.len()..before {
            self.metrics.cancelled();
            self.queue.finished();
        }
    }
}
