//! Copies between arrays of equal shape and any strides.

/// One side of a copy.
#[derive(Clone, Copy)]
pub struct Side<'a> {
    /// The first element.
    pub start: *mut u8,
    /// Bytes from an element to the next, by dimension; negative ones too.
    pub strides: &'a [i64],
}

/// Copies `dims` elements of `width` bytes.
///
/// # Safety
/// Every element of both sides is memory that may be read, and on the target's side written.
pub unsafe fn copy(source: Side<'_>, target: Side<'_>, dims: &[u64], width: usize) {
    if dims.contains(&0) {
        return;
    }
    // Dimensions from the last on that lie densely on both sides are one run.
    let (mut run, mut outer) = (width, dims.len());
    while let Some(at) = outer.checked_sub(1) {
        let (Some(from), Some(to), Some(extent)) = (source.strides.get(at), target.strides.get(at), dims.get(at))
        else {
            return;
        };
        if *extent != 1 && (*from != run as i64 || *to != run as i64) {
            break;
        }
        run *= *extent as usize;
        outer = at;
    }
    let mut index = vec![0u64; outer];
    let (mut from, mut to) = (0i64, 0i64);
    loop {
        // SAFETY: the offsets are those of an element, from which on `run` bytes lie densely.
        unsafe {
            let (from, to) = (source.start.offset(from as isize), target.start.offset(to as isize));
            std::ptr::copy_nonoverlapping(from, to, run);
        }
        let mut at = outer;
        loop {
            let Some(next) = at.checked_sub(1) else { return };
            at = next;
            let (Some(place), Some(extent)) = (index.get_mut(at), dims.get(at)) else { return };
            let step = |side: Side<'_>| side.strides.get(at).copied().unwrap_or(0);
            *place += 1;
            from += step(source);
            to += step(target);
            if *place < *extent {
                break;
            }
            from -= step(source) * *extent as i64;
            to -= step(target) * *extent as i64;
            *place = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transposed_reversed_array_becomes_dense() {
        // 2x3 of u16, columns first, the rows backwards.
        let mut source: Vec<u16> = vec![10, 20, 11, 21, 12, 22];
        let mut target = [0u16; 6];
        let start = source.as_mut_ptr().wrapping_add(1).cast::<u8>();
        let from = Side { start, strides: &[-2, 4] };
        let to = Side { start: target.as_mut_ptr().cast(), strides: &[6, 2] };
        // SAFETY: all elements lie in the two arrays.
        unsafe { copy(from, to, &[2, 3], 2) };
        assert_eq!(target, [20, 21, 22, 10, 11, 12]);
    }

    #[test]
    fn scalars_and_empty_arrays() {
        let (mut source, mut target) = ([7u8], [0u8]);
        let (from, to) = (source.as_mut_ptr(), target.as_mut_ptr());
        // SAFETY: one element a side; none of the empty array.
        unsafe {
            copy(Side { start: from, strides: &[0] }, Side { start: to, strides: &[1] }, &[0], 1);
            assert_eq!(target, [0]);
            copy(Side { start: from, strides: &[] }, Side { start: to, strides: &[] }, &[], 1);
        }
        assert_eq!(target, [7]);
    }

    #[test]
    fn broadcast_strides_repeat() {
        let mut source = [1u8, 2];
        let mut target = [0u8; 6];
        let (from, to) = (source.as_mut_ptr(), target.as_mut_ptr());
        // SAFETY: all elements lie in the two arrays.
        unsafe { copy(Side { start: from, strides: &[0, 1] }, Side { start: to, strides: &[2, 1] }, &[3, 2], 1) };
        assert_eq!(target, [1, 2, 1, 2, 1, 2]);
    }
}
