//! Memory of the host's own that CUDA page-locks where it is.

use crate::code;
use crate::world::World;

impl World {
    /// Takes note of memory of the host's own as page-locked.
    pub fn register(&mut self, address: u64, bytes: u64) -> Result<(), i32> {
        let device = self.device()?;
        self.memory.register(device, address, bytes)
    }

    /// Waits for the device, then forgets memory that was taken note of.
    pub fn unregister(&mut self, address: u64) -> Result<(), i32> {
        let device = self.device()?;
        let waited = self.run_device(device);
        if let Err(what) = self.memory.unregister(address) {
            self.violate(what);
            return Err(code::INVALID_VALUE);
        }
        waited
    }
}
