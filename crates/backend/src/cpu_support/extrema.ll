; fmin, fmax for one float type: a NaN loses against a number. A template: T is the type, S the suffix of the C names.

define hidden {T} @fmin{S}({T} %x, {T} %y) #0 section ".text.fmin{S}" {
  %less = fcmp olt {T} %y, %x
  %smaller = select i1 %less, {T} %y, {T} %x
  %x_nan = fcmp uno {T} %x, %x
  %result = select i1 %x_nan, {T} %y, {T} %smaller
  ret {T} %result
}

define hidden {T} @fmax{S}({T} %x, {T} %y) #0 section ".text.fmax{S}" {
  %more = fcmp ogt {T} %y, %x
  %larger = select i1 %more, {T} %y, {T} %x
  %x_nan = fcmp uno {T} %x, %x
  %result = select i1 %x_nan, {T} %y, {T} %larger
  ret {T} %result
}

attributes #0 = { nounwind "no-builtins" }
