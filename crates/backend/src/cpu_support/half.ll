; Conversions between half, bfloat, float and double, round to nearest even, signalling NaNs made quiet: what processors
; without the instructions (or without the pair of types) call.

; Doubles are first rounded to float *to odd* (towards zero, then the last bit set if anything was lost); float has more
; than two bits more than half and bfloat at every exponent, so the second rounding then gives the correct result.
define internal float @double_to_float_odd(double %x) alwaysinline #0 {
  %nearest = fptrunc double %x to float
  %back = fpext float %nearest to double
  %exact = fcmp ueq double %back, %x
  %bits = bitcast float %nearest to i32
  %magnitude = call double @llvm.fabs.f64(double %x)
  %back_magnitude = call double @llvm.fabs.f64(double %back)
  %too_far = fcmp ogt double %back_magnitude, %magnitude
  %less = sub i32 %bits, 1
  %towards_zero = select i1 %too_far, i32 %less, i32 %bits
  %odd_bits = or i32 %towards_zero, 1
  %odd = bitcast i32 %odd_bits to float
  %result = select i1 %exact, float %nearest, float %odd
  ret float %result
}

define internal half @float_to_half(float %x) alwaysinline #0 {
entry:
  %bits = bitcast float %x to i32
  %sign_bit = and i32 %bits, -2147483648
  %sign = lshr i32 %sign_bit, 16
  %magnitude = and i32 %bits, 2147483647
  %is_nan = icmp ugt i32 %magnitude, 2139095040
  br i1 %is_nan, label %nan, label %number
nan:
  %payload_shifted = lshr i32 %magnitude, 13
  %payload = and i32 %payload_shifted, 1023
  %quiet = or i32 %payload, 32256
  br label %done
number:
  ; 65520 and above round to infinity
  %is_large = icmp uge i32 %magnitude, 1199566848
  br i1 %is_large, label %done, label %finite
finite:
  ; below 2^-14 the result is subnormal
  %is_normal = icmp uge i32 %magnitude, 947912704
  br i1 %is_normal, label %normal, label %subnormal
normal:
  %rebased = sub i32 %magnitude, 939524096
  %last_shifted = lshr i32 %rebased, 13
  %last = and i32 %last_shifted, 1
  %almost_half = add i32 %rebased, 4095
  %rounded = add i32 %almost_half, %last
  %normal_bits = lshr i32 %rounded, 13
  br label %done
subnormal:
  ; one unit in the last place of [0.5, 1) is 2^-24, the smallest half: the addition rounds
  %small = bitcast i32 %magnitude to float
  %shifted = fadd float %small, 5.0e-1
  %shifted_bits = bitcast float %shifted to i32
  %subnormal_bits = sub i32 %shifted_bits, 1056964608
  br label %done
done:
  %value = phi i32 [ %quiet, %nan ], [ 31744, %number ], [ %normal_bits, %normal ], [ %subnormal_bits, %subnormal ]
  %signed = or i32 %value, %sign
  %short = trunc i32 %signed to i16
  %result = bitcast i16 %short to half
  ret half %result
}

define internal bfloat @float_to_bfloat(float %x) alwaysinline #0 {
  %bits = bitcast float %x to i32
  %high = lshr i32 %bits, 16
  %last = and i32 %high, 1
  %almost_half = add i32 %bits, 32767
  %sum = add i32 %almost_half, %last
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %high, 64
  %is_nan = fcmp uno float %x, %x
  %value = select i1 %is_nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %value to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}

define hidden half @__truncsfhf2(float %x) #0 section ".text.__truncsfhf2" {
  %result = call half @float_to_half(float %x)
  ret half %result
}

define hidden half @__truncdfhf2(double %x) #0 section ".text.__truncdfhf2" {
  %odd = call float @double_to_float_odd(double %x)
  %result = call half @float_to_half(float %odd)
  ret half %result
}

define hidden bfloat @__truncsfbf2(float %x) #0 section ".text.__truncsfbf2" {
  %result = call bfloat @float_to_bfloat(float %x)
  ret bfloat %result
}

define hidden bfloat @__truncdfbf2(double %x) #0 section ".text.__truncdfbf2" {
  %odd = call float @double_to_float_odd(double %x)
  %result = call bfloat @float_to_bfloat(float %odd)
  ret bfloat %result
}

define hidden float @__extendhfsf2(half %x) #0 section ".text.__extendhfsf2" {
entry:
  %short = bitcast half %x to i16
  %bits = zext i16 %short to i32
  %sign_bit = and i32 %bits, 32768
  %sign = shl i32 %sign_bit, 16
  %magnitude = and i32 %bits, 32767
  %shifted = shl i32 %magnitude, 13
  %is_special = icmp uge i32 %magnitude, 31744
  br i1 %is_special, label %special, label %finite
special:
  %all_ones = or i32 %shifted, 2139095040
  %is_nan = icmp ugt i32 %magnitude, 31744
  %quiet_bit = select i1 %is_nan, i32 4194304, i32 0
  %special_bits = or i32 %all_ones, %quiet_bit
  br label %done
finite:
  %is_normal = icmp uge i32 %magnitude, 1024
  br i1 %is_normal, label %normal, label %subnormal
normal:
  %normal_bits = add i32 %shifted, 939524096
  br label %done
subnormal:
  %count = sitofp i32 %magnitude to float
  %scaled = fmul float %count, 0x3E70000000000000
  %subnormal_bits = bitcast float %scaled to i32
  br label %done
done:
  %value = phi i32 [ %special_bits, %special ], [ %normal_bits, %normal ], [ %subnormal_bits, %subnormal ]
  %signed = or i32 %value, %sign
  %result = bitcast i32 %signed to float
  ret float %result
}

define hidden double @__extendhfdf2(half %x) #0 section ".text.__extendhfdf2" {
  %single = call float @__extendhfsf2(half %x)
  %result = fpext float %single to double
  ret double %result
}

declare double @llvm.fabs.f64(double)
attributes #0 = { nounwind "no-builtins" }
