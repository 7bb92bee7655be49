; trunc, floor, ceil, round, roundeven, rint, nearbyint for one float type: what processors without rounding instructions
; call. A template: T is the type, I its integer, S the suffix of the C names, and the constants of its format.

define hidden {T} @trunc{S}({T} %x) #0 section ".text.trunc{S}" {
entry:
  %bits = bitcast {T} %x to {I}
  %shifted = lshr {I} %bits, {MANTISSA_BITS}
  %biased = and {I} %shifted, {EXPONENT_MASK}
  %is_whole = icmp uge {I} %biased, {WHOLE_EXPONENT}
  br i1 %is_whole, label %whole, label %check
whole:
  ret {T} %x
check:
  %sign = and {I} %bits, {SIGN_BIT}
  %is_small = icmp ult {I} %biased, {BIAS}
  br i1 %is_small, label %small, label %cut
small:
  %zero = bitcast {I} %sign to {T}
  ret {T} %zero
cut:
  %exponent = sub {I} %biased, {BIAS}
  %fraction = lshr {I} {MANTISSA_MASK}, %exponent
  %integer = xor {I} %fraction, -1
  %kept = and {I} %bits, %integer
  %result = bitcast {I} %kept to {T}
  ret {T} %result
}

define hidden {T} @floor{S}({T} %x) #0 section ".text.floor{S}" {
  %whole = call {T} @trunc{S}({T} %x)
  %above = fcmp ogt {T} %whole, %x
  %less = fsub {T} %whole, 1.0
  %result = select i1 %above, {T} %less, {T} %whole
  ret {T} %result
}

define hidden {T} @ceil{S}({T} %x) #0 section ".text.ceil{S}" {
  %whole = call {T} @trunc{S}({T} %x)
  %below = fcmp olt {T} %whole, %x
  %more = fadd {T} %whole, 1.0
  %result = select i1 %below, {T} %more, {T} %whole
  ret {T} %result
}

define hidden {T} @round{S}({T} %x) #0 section ".text.round{S}" {
  %whole = call {T} @trunc{S}({T} %x)
  %rest = fsub {T} %x, %whole
  %distance = call {T} @llvm.fabs.{N}({T} %rest)
  %away = fcmp oge {T} %distance, 0.5
  %one = call {T} @llvm.copysign.{N}({T} 1.0, {T} %x)
  %farther = fadd {T} %whole, %one
  %result = select i1 %away, {T} %farther, {T} %whole
  ret {T} %result
}

; Above WHOLE every number is whole; adding and taking away WHOLE rounds to nearest even below it.
define hidden {T} @roundeven{S}({T} %x) #0 section ".text.roundeven{S}" {
  %magnitude = call {T} @llvm.fabs.{N}({T} %x)
  %has_fraction = fcmp olt {T} %magnitude, {WHOLE}
  %shifted = fadd {T} %magnitude, {WHOLE}
  %back = fsub {T} %shifted, {WHOLE}
  %rounded = call {T} @llvm.copysign.{N}({T} %back, {T} %x)
  %result = select i1 %has_fraction, {T} %rounded, {T} %x
  ret {T} %result
}

@rint{S} = hidden alias {T} ({T}), ptr @roundeven{S}
@nearbyint{S} = hidden alias {T} ({T}), ptr @roundeven{S}

declare {T} @llvm.fabs.{N}({T})
declare {T} @llvm.copysign.{N}({T}, {T})
attributes #0 = { nounwind "no-builtins" }
