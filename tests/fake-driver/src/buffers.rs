//! What buffers of OpenCL need besides: memory that goes when its turn in the queue comes, and images to look at.

use crate::queue::Operation;
use crate::world::{Image, Object, World};

impl World {
    /// Gives memory back behind what is queued on its device.
    pub fn free_behind(&mut self, address: u64) -> Result<(), i32> {
        let device = self.device()?;
        let streams = self.objects.iter().filter(|row| matches!(row.1, Object::Stream(_)));
        let stream = streams.map(|row| *row.0).find(|handle| self.device_of(*handle) == Some(device));
        match stream {
            Some(stream) => self.enqueue(stream, Operation::Free(address)),
            None => self.free(address, false),
        }
    }

    /// A loaded image.
    pub fn image(&self, module: u64) -> Option<&Image> {
        match self.objects.get(&module)? {
            Object::Module { image, .. } => Some(image),
            _ => None,
        }
    }
}
