; fma, fmod, ldexp for float and double, and 128-bit division: what processors without the instructions call.
; All are exact (fmod) or correctly rounded to nearest even (fma, ldexp), subnormals included.

; A float product is exact in double. The sum is rounded to odd there (the error of the addition says in which direction
; the last bit is to be set), and double has more than two bits more than float: the last rounding is the only one.
define hidden float @fmaf(float %x, float %y, float %z) #0 section ".text.fmaf" {
  %xd = fpext float %x to double
  %yd = fpext float %y to double
  %zd = fpext float %z to double
  %product = fmul double %xd, %yd
  %sum = fadd double %product, %zd
  %z_part = fsub double %sum, %product
  %product_part = fsub double %sum, %z_part
  %product_error = fsub double %product, %product_part
  %z_error = fsub double %zd, %z_part
  %error = fadd double %product_error, %z_error
  %inexact = fcmp one double %error, 0.0
  %bits = bitcast double %sum to i64
  %last = and i64 %bits, 1
  %even = icmp eq i64 %last, 0
  %adjust = and i1 %inexact, %even
  %error_positive = fcmp ogt double %error, 0.0
  %sum_positive = fcmp ogt double %sum, 0.0
  %outwards = icmp eq i1 %error_positive, %sum_positive
  %step = select i1 %outwards, i64 1, i64 -1
  %moved = add i64 %bits, %step
  %odd_bits = select i1 %adjust, i64 %moved, i64 %bits
  %odd = bitcast i64 %odd_bits to double
  %result = fptrunc double %odd to float
  ret float %result
}

; A non-zero finite magnitude as m * 2^e with m in [2^52, 2^53).
define internal { i64, i64 } @split(i64 %magnitude) alwaysinline #0 {
  %biased = lshr i64 %magnitude, 52
  %fraction = and i64 %magnitude, 4503599627370495
  %normal_m = or i64 %fraction, 4503599627370496
  %normal_e = sub i64 %biased, 1075
  %zeros = call i64 @llvm.ctlz.i64(i64 %magnitude, i1 false)
  %shift = sub i64 %zeros, 11
  %subnormal_m = shl i64 %magnitude, %shift
  %subnormal_e = sub i64 -1074, %shift
  %is_normal = icmp ne i64 %biased, 0
  %m = select i1 %is_normal, i64 %normal_m, i64 %subnormal_m
  %e = select i1 %is_normal, i64 %normal_e, i64 %subnormal_e
  %with_m = insertvalue { i64, i64 } poison, i64 %m, 0
  %result = insertvalue { i64, i64 } %with_m, i64 %e, 1
  ret { i64, i64 } %result
}

; The exact product (106 bits) and z are aligned in 256 bits; an operand too small to matter becomes one sticky unit.
; The sum is cut to 62 bits with a sticky last bit, and rounded once.
define hidden double @fma(double %x, double %y, double %z) #0 section ".text.fma" {
entry:
  %xb = bitcast double %x to i64
  %yb = bitcast double %y to i64
  %zb = bitcast double %z to i64
  %xa = and i64 %xb, 9223372036854775807
  %ya = and i64 %yb, 9223372036854775807
  %za = and i64 %zb, 9223372036854775807
  ; zero wraps around to the largest number: one comparison finds zero, infinity and NaN
  %x_less = sub i64 %xa, 1
  %y_less = sub i64 %ya, 1
  %x_special = icmp uge i64 %x_less, 9218868437227405311
  %y_special = icmp uge i64 %y_less, 9218868437227405311
  %factor_special = or i1 %x_special, %y_special
  br i1 %factor_special, label %plain, label %check_z
plain:
  %plain_product = fmul double %x, %y
  %plain_sum = fadd double %plain_product, %z
  ret double %plain_sum
check_z:
  %z_special = icmp uge i64 %za, 9218868437227405312
  br i1 %z_special, label %take_z, label %check_zero
take_z:
  %quiet_z = fadd double %z, %z
  ret double %quiet_z
check_zero:
  %z_zero = icmp eq i64 %za, 0
  br i1 %z_zero, label %product_only, label %general
product_only:
  %rounded_product = fmul double %x, %y
  ret double %rounded_product
general:
  %xs = call { i64, i64 } @split(i64 %xa)
  %ys = call { i64, i64 } @split(i64 %ya)
  %zs = call { i64, i64 } @split(i64 %za)
  %mx = extractvalue { i64, i64 } %xs, 0
  %ex = extractvalue { i64, i64 } %xs, 1
  %my = extractvalue { i64, i64 } %ys, 0
  %ey = extractvalue { i64, i64 } %ys, 1
  %mz = extractvalue { i64, i64 } %zs, 0
  %ez = extractvalue { i64, i64 } %zs, 1
  %mx_wide = zext i64 %mx to i128
  %my_wide = zext i64 %my to i128
  %p128 = mul nuw i128 %mx_wide, %my_wide
  %p = zext i128 %p128 to i256
  %zw = zext i64 %mz to i256
  %ep = add i64 %ex, %ey
  %d = sub i64 %ez, %ep
  %z_above = icmp sge i64 %d, 0
  br i1 %z_above, label %shift_z, label %shift_p
shift_z:
  %z_near = icmp sle i64 %d, 120
  %dz = select i1 %z_near, i64 %d, i64 120
  %dz_wide = zext i64 %dz to i256
  %z_shifted = shl i256 %zw, %dz_wide
  %p_kept = select i1 %z_near, i256 %p, i256 1
  %e_far_z = sub i64 %ez, 120
  %e_z = select i1 %z_near, i64 %ep, i64 %e_far_z
  br label %combine
shift_p:
  %k = sub i64 0, %d
  %p_near = icmp sle i64 %k, 120
  %dp = select i1 %p_near, i64 %k, i64 4
  %dp_wide = zext i64 %dp to i256
  %p_shifted = shl i256 %p, %dp_wide
  %z_kept = select i1 %p_near, i256 %zw, i256 1
  %e_far_p = sub i64 %ep, 4
  %e_p = select i1 %p_near, i64 %ez, i64 %e_far_p
  br label %combine
combine:
  %pp = phi i256 [ %p_kept, %shift_z ], [ %p_shifted, %shift_p ]
  %zp = phi i256 [ %z_shifted, %shift_z ], [ %z_kept, %shift_p ]
  %e0 = phi i64 [ %e_z, %shift_z ], [ %e_p, %shift_p ]
  %xy_bits = xor i64 %xb, %yb
  %sign_p = and i64 %xy_bits, -9223372036854775808
  %sign_z = and i64 %zb, -9223372036854775808
  %same = icmp eq i64 %sign_p, %sign_z
  %added = add i256 %pp, %zp
  %taken = sub i256 %pp, %zp
  %signed = select i1 %same, i256 %added, i256 %taken
  %negative = icmp slt i256 %signed, 0
  %turned = sub i256 0, %signed
  %sum = select i1 %negative, i256 %turned, i256 %signed
  %sign = select i1 %negative, i64 %sign_z, i64 %sign_p
  %cancelled = icmp eq i256 %sum, 0
  br i1 %cancelled, label %zero, label %cut
zero:
  ret double 0.0
cut:
  %lead = call i256 @llvm.ctlz.i256(i256 %sum, i1 true)
  %lead_64 = trunc i256 %lead to i64
  %excess = sub i64 194, %lead_64
  %is_long = icmp sgt i64 %excess, 0
  %drop = select i1 %is_long, i64 %excess, i64 0
  %drop_wide = zext i64 %drop to i256
  %top = lshr i256 %sum, %drop_wide
  %again = shl i256 %top, %drop_wide
  %lost = icmp ne i256 %again, %sum
  %sticky = zext i1 %lost to i64
  %top_64 = trunc i256 %top to i64
  %m = or i64 %top_64, %sticky
  %e = add i64 %e0, %drop
  %m_zeros = call i64 @llvm.ctlz.i64(i64 %m, i1 true)
  %m_top = sub i64 63, %m_zeros
  %magnitude = add i64 %e, %m_top
  %is_normal = icmp sge i64 %magnitude, -1022
  br i1 %is_normal, label %normal, label %subnormal
normal:
  %rounded = sitofp i64 %m to double
  %huge = icmp sgt i64 %e, 1100
  %e_bounded = select i1 %huge, i64 1100, i64 %e
  %e_first = ashr i64 %e_bounded, 1
  %e_second = sub i64 %e_bounded, %e_first
  %first_biased = add i64 %e_first, 1023
  %first_bits = shl i64 %first_biased, 52
  %first = bitcast i64 %first_bits to double
  %second_biased = add i64 %e_second, 1023
  %second_bits = shl i64 %second_biased, 52
  %second = bitcast i64 %second_bits to double
  %scaled_once = fmul double %rounded, %first
  %scaled = fmul double %scaled_once, %second
  %scaled_bits = bitcast double %scaled to i64
  %normal_bits = or i64 %scaled_bits, %sign
  %normal_result = bitcast i64 %normal_bits to double
  ret double %normal_result
subnormal:
  %down = sub i64 -1074, %e
  %exact = icmp sle i64 %down, 0
  br i1 %exact, label %shift_up, label %check_tiny
shift_up:
  %up = sub i64 0, %down
  %q_exact = shl i64 %m, %up
  br label %assemble
check_tiny:
  %tiny = icmp sge i64 %down, 63
  br i1 %tiny, label %assemble, label %shift_down
shift_down:
  %q_floor = lshr i64 %m, %down
  %q_back = shl i64 %q_floor, %down
  %rest = sub i64 %m, %q_back
  %down_less = sub i64 %down, 1
  %half = shl i64 1, %down_less
  %above_half = icmp ugt i64 %rest, %half
  %at_half = icmp eq i64 %rest, %half
  %q_last = and i64 %q_floor, 1
  %q_odd = icmp ne i64 %q_last, 0
  %tie_up = and i1 %at_half, %q_odd
  %round_up = or i1 %above_half, %tie_up
  %increment = zext i1 %round_up to i64
  %q_rounded = add i64 %q_floor, %increment
  br label %assemble
assemble:
  %q = phi i64 [ %q_exact, %shift_up ], [ 0, %check_tiny ], [ %q_rounded, %shift_down ]
  %bits = or i64 %q, %sign
  %result = bitcast i64 %bits to double
  ret double %result
}

; Long division of the mantissas, eleven bits a step.
define hidden double @fmod(double %x, double %y) #0 section ".text.fmod" {
entry:
  %xb = bitcast double %x to i64
  %yb = bitcast double %y to i64
  %sign = and i64 %xb, -9223372036854775808
  %xa = and i64 %xb, 9223372036854775807
  %ya = and i64 %yb, 9223372036854775807
  %x_special = icmp uge i64 %xa, 9218868437227405312
  %y_nan = icmp ugt i64 %ya, 9218868437227405312
  %y_zero = icmp eq i64 %ya, 0
  %y_bad = or i1 %y_nan, %y_zero
  %invalid = or i1 %x_special, %y_bad
  br i1 %invalid, label %nan, label %compare
nan:
  %product = fmul double %x, %y
  %undefined = fdiv double %product, %product
  ret double %undefined
compare:
  %below = icmp ult i64 %xa, %ya
  br i1 %below, label %unchanged, label %divide
unchanged:
  ret double %x
divide:
  %x_biased = lshr i64 %xa, 52
  %y_biased = lshr i64 %ya, 52
  %x_fraction = and i64 %xa, 4503599627370495
  %y_fraction = and i64 %ya, 4503599627370495
  %x_normal = icmp ne i64 %x_biased, 0
  %y_normal = icmp ne i64 %y_biased, 0
  %x_lead = select i1 %x_normal, i64 4503599627370496, i64 0
  %y_lead = select i1 %y_normal, i64 4503599627370496, i64 0
  %mx = or i64 %x_fraction, %x_lead
  %my = or i64 %y_fraction, %y_lead
  %ex = call i64 @llvm.umax.i64(i64 %x_biased, i64 1)
  %ey = call i64 @llvm.umax.i64(i64 %y_biased, i64 1)
  %steps = sub i64 %ex, %ey
  %first = urem i64 %mx, %my
  br label %loop
loop:
  %left = phi i64 [ %steps, %divide ], [ %left_next, %step ]
  %r = phi i64 [ %first, %divide ], [ %r_next, %step ]
  %finished = icmp eq i64 %left, 0
  br i1 %finished, label %done, label %step
step:
  %bits_now = call i64 @llvm.umin.i64(i64 %left, i64 11)
  %r_shifted = shl i64 %r, %bits_now
  %r_next = urem i64 %r_shifted, %my
  %left_next = sub i64 %left, %bits_now
  br label %loop
done:
  %is_zero = icmp eq i64 %r, 0
  br i1 %is_zero, label %zero, label %normalise
zero:
  %signed_zero = bitcast i64 %sign to double
  ret double %signed_zero
normalise:
  %zeros = call i64 @llvm.ctlz.i64(i64 %r, i1 true)
  %wanted = sub i64 %zeros, 11
  %room = sub i64 %ey, 1
  %shift = call i64 @llvm.umin.i64(i64 %wanted, i64 %room)
  %mantissa = shl i64 %r, %shift
  ; the leading bit of a normal mantissa adds one to the exponent field
  %exponent = sub i64 %room, %shift
  %exponent_bits = shl i64 %exponent, 52
  %magnitude = add i64 %mantissa, %exponent_bits
  %bits = or i64 %magnitude, %sign
  %result = bitcast i64 %bits to double
  ret double %result
}

; The remainder of two floats is a float: computing it in double is exact.
define hidden float @fmodf(float %x, float %y) #0 section ".text.fmodf" {
  %xd = fpext float %x to double
  %yd = fpext float %y to double
  %rest = call double @fmod(double %xd, double %yd)
  %result = fptrunc double %rest to float
  ret float %result
}

; Two steps keep the last multiplication the only one that rounds.
define hidden double @ldexp(double %x, i32 %n) #0 section ".text.ldexp" {
  %n_low = call i32 @llvm.smax.i32(i32 %n, i32 -3000)
  %n0 = call i32 @llvm.smin.i32(i32 %n_low, i32 3000)
  %first = call { double, i32 } @ldexp_step(double %x, i32 %n0)
  %x1 = extractvalue { double, i32 } %first, 0
  %n1 = extractvalue { double, i32 } %first, 1
  %second = call { double, i32 } @ldexp_step(double %x1, i32 %n1)
  %x2 = extractvalue { double, i32 } %second, 0
  %n2 = extractvalue { double, i32 } %second, 1
  %n3_low = call i32 @llvm.smax.i32(i32 %n2, i32 -1022)
  %n3 = call i32 @llvm.smin.i32(i32 %n3_low, i32 1023)
  %power = call double @power_of_two(i32 %n3)
  %result = fmul double %x2, %power
  ret double %result
}

; Exponents out of range: multiplies by 2^1023 or 2^-969 (53 bits above the smallest normal) and returns the rest.
define internal { double, i32 } @ldexp_step(double %x, i32 %n) alwaysinline #0 {
  %large = icmp sgt i32 %n, 1023
  %small = icmp slt i32 %n, -1022
  %n_small = select i1 %small, i32 -969, i32 0
  %step = select i1 %large, i32 1023, i32 %n_small
  %power = call double @power_of_two(i32 %step)
  %scaled = fmul double %x, %power
  %rest = sub i32 %n, %step
  %with_x = insertvalue { double, i32 } poison, double %scaled, 0
  %result = insertvalue { double, i32 } %with_x, i32 %rest, 1
  ret { double, i32 } %result
}

define internal double @power_of_two(i32 %n) alwaysinline #0 {
  %biased = add i32 %n, 1023
  %wide = zext i32 %biased to i64
  %bits = shl i64 %wide, 52
  %result = bitcast i64 %bits to double
  ret double %result
}

define hidden float @ldexpf(float %x, i32 %n) #0 section ".text.ldexpf" {
  %n_low = call i32 @llvm.smax.i32(i32 %n, i32 -400)
  %n0 = call i32 @llvm.smin.i32(i32 %n_low, i32 400)
  %power = call double @power_of_two(i32 %n0)
  %xd = fpext float %x to double
  %scaled = fmul double %xd, %power
  %result = fptrunc double %scaled to float
  ret float %result
}

; Quotient and remainder, one bit a step; by zero gives all ones and the dividend.
define internal { i128, i128 } @divide(i128 %a, i128 %b) alwaysinline #0 {
entry:
  br label %step
step:
  %i = phi i32 [ 0, %entry ], [ %i_next, %step ]
  %a_now = phi i128 [ %a, %entry ], [ %a_next, %step ]
  %q = phi i128 [ 0, %entry ], [ %q_next, %step ]
  %r = phi i128 [ 0, %entry ], [ %r_next, %step ]
  %a_top = lshr i128 %a_now, 127
  %a_next = shl i128 %a_now, 1
  %r_over = icmp slt i128 %r, 0
  %r_shifted = shl i128 %r, 1
  %r_now = or i128 %r_shifted, %a_top
  %r_enough = icmp uge i128 %r_now, %b
  %fits = or i1 %r_over, %r_enough
  %r_less = sub i128 %r_now, %b
  %r_next = select i1 %fits, i128 %r_less, i128 %r_now
  %bit = zext i1 %fits to i128
  %q_shifted = shl i128 %q, 1
  %q_next = or i128 %q_shifted, %bit
  %i_next = add i32 %i, 1
  %finished = icmp eq i32 %i_next, 128
  br i1 %finished, label %done, label %step
done:
  %with_q = insertvalue { i128, i128 } poison, i128 %q_next, 0
  %result = insertvalue { i128, i128 } %with_q, i128 %r_next, 1
  ret { i128, i128 } %result
}

define hidden i128 @__udivti3(i128 %a, i128 %b) #0 section ".text.__udivti3" {
  %both = call { i128, i128 } @divide(i128 %a, i128 %b)
  %result = extractvalue { i128, i128 } %both, 0
  ret i128 %result
}

define hidden i128 @__umodti3(i128 %a, i128 %b) #0 section ".text.__umodti3" {
  %both = call { i128, i128 } @divide(i128 %a, i128 %b)
  %result = extractvalue { i128, i128 } %both, 1
  ret i128 %result
}

define hidden i128 @__divti3(i128 %a, i128 %b) #0 section ".text.__divti3" {
  %a_abs = call i128 @llvm.abs.i128(i128 %a, i1 false)
  %b_abs = call i128 @llvm.abs.i128(i128 %b, i1 false)
  %both = call { i128, i128 } @divide(i128 %a_abs, i128 %b_abs)
  %quotient = extractvalue { i128, i128 } %both, 0
  %signs = xor i128 %a, %b
  %negative = icmp slt i128 %signs, 0
  %turned = sub i128 0, %quotient
  %result = select i1 %negative, i128 %turned, i128 %quotient
  ret i128 %result
}

define hidden i128 @__modti3(i128 %a, i128 %b) #0 section ".text.__modti3" {
  %a_abs = call i128 @llvm.abs.i128(i128 %a, i1 false)
  %b_abs = call i128 @llvm.abs.i128(i128 %b, i1 false)
  %both = call { i128, i128 } @divide(i128 %a_abs, i128 %b_abs)
  %rest = extractvalue { i128, i128 } %both, 1
  %negative = icmp slt i128 %a, 0
  %turned = sub i128 0, %rest
  %result = select i1 %negative, i128 %turned, i128 %rest
  ret i128 %result
}

declare i64 @llvm.ctlz.i64(i64, i1)
declare i256 @llvm.ctlz.i256(i256, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.umax.i64(i64, i64)
declare i32 @llvm.smin.i32(i32, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i128 @llvm.abs.i128(i128, i1)
attributes #0 = { nounwind "no-builtins" }
