//! Verifier.
use crate::graph::{Graph, Op};
pub struct Check<'g> {
    pub graph: &'g Graph,
    pub op: &'g Op,
}
pub type Rule = fn(&Check) -> Result<(), String>;
pub fn accept(_: &Check) -> Result<(), String> {
    Ok(())
}
pub mod reduce {
    use super::*;
    pub fn batch_norm(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn reduce(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn reduce_window(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn select_and_scatter(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn sort(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod dot {
    use super::*;
    pub fn convolution(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dot(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dot_general(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_conv(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn einsum(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod chlo {
    use super::*;
    pub fn broadcast_binary(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn ragged_dot(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn scan(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn top_k(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod elementwise {
    use super::*;
    pub fn abs(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn clamp(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn compare(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn complex(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn map(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn predicate(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn real_part(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn reduce_precision(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn same_shape(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn same_type(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn select(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn uniform_dequantize(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn uniform_quantize(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod shape {
    use super::*;
    pub fn bitcast_convert(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn broadcast(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn broadcast_in_dim(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn cholesky(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn concatenate(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn constant(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_broadcast_in_dim(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_iota(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_pad(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_reshape(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_slice(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn dynamic_update_slice(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn fft(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn get_dimension_size(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn get_tuple_element(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn iota(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn optimization_barrier(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn pad(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn real_dynamic_slice(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn reshape(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn reverse(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn rng(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn rng_bit_generator(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn same(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn set_dimension_size(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn slice(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn tokens(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn transpose(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn triangular_solve(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn tuple(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod control {
    use super::*;
    pub fn call(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn case(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn composite(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn fusion(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn if_(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn while_(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod indexing {
    use super::*;
    pub fn dynamic_gather(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn gather(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn scatter(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn torch_index_select(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
pub mod collective {
    use super::*;
    pub fn all_gather(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn all_reduce(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn all_to_all(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn collective_broadcast(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn collective_permute(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn device_id(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn reduce_scatter(_: &Check) -> Result<(), String> {
        Ok(())
    }
    pub fn transfer(_: &Check) -> Result<(), String> {
        Ok(())
    }
}
