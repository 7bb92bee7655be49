; Kernels of the suite for devices that take SPIR-V. Made into opencl_kernels.spv by
;   llc -mtriple=spirv64-unknown-unknown -O2 -filetype=obj opencl_kernels.ll -o opencl_kernels.spv
target triple = "spirv64-unknown-unknown"

declare spir_func i64 @_Z13get_global_idj(i32)
declare spir_func i64 @_Z12get_local_idj(i32)
declare spir_func i64 @_Z12get_group_idj(i32)
declare spir_func void @_Z7barrierj(i32)

@turned = internal addrspace(3) global [64 x float] undef, align 16

; out[i] = in[i] + 1 for i < n
define spir_kernel void @add_one(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %n) !reqd_work_group_size !0 {
  %i = call spir_func i64 @_Z13get_global_idj(i32 0)
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %store, label %end
store:
  %from = getelementptr float, ptr addrspace(1) %in, i64 %i
  %value = load float, ptr addrspace(1) %from, align 4
  %sum = fadd float %value, 1.0
  %to = getelementptr float, ptr addrspace(1) %out, i64 %i
  store float %sum, ptr addrspace(1) %to, align 4
  br label %end
end:
  ret void
}

; flag = x[0] < x[distance]
define spir_kernel void @below(ptr addrspace(1) %x, ptr addrspace(1) %flag, i64 %distance) !reqd_work_group_size !1 {
  %other = getelementptr float, ptr addrspace(1) %x, i64 %distance
  %a = load float, ptr addrspace(1) %x, align 4
  %b = load float, ptr addrspace(1) %other, align 4
  %less = fcmp olt float %a, %b
  %byte = zext i1 %less to i8
  store i8 %byte, ptr addrspace(1) %flag, align 1
  ret void
}

; Each workgroup of 64 turns its numbers around in local memory and writes them at (z * Y + y) * X + x of the grid.
define spir_kernel void @turn(ptr addrspace(1) %in, ptr addrspace(1) %out, i64 %columns, i64 %rows) !reqd_work_group_size !0 {
  %lane = call spir_func i64 @_Z12get_local_idj(i32 0)
  %x = call spir_func i64 @_Z12get_group_idj(i32 0)
  %y = call spir_func i64 @_Z12get_group_idj(i32 1)
  %z = call spir_func i64 @_Z12get_group_idj(i32 2)
  %zy = mul i64 %z, %rows
  %row = add i64 %zy, %y
  %rowx = mul i64 %row, %columns
  %group = add i64 %rowx, %x
  %start = mul i64 %group, 64
  %at = add i64 %start, %lane
  %from = getelementptr float, ptr addrspace(1) %in, i64 %at
  %value = load float, ptr addrspace(1) %from, align 4
  %back = sub i64 63, %lane
  %put = getelementptr [64 x float], ptr addrspace(3) @turned, i64 0, i64 %back
  store float %value, ptr addrspace(3) %put, align 4
  call spir_func void @_Z7barrierj(i32 1)
  %get = getelementptr [64 x float], ptr addrspace(3) @turned, i64 0, i64 %lane
  %other = load float, ptr addrspace(3) %get, align 4
  %to = getelementptr float, ptr addrspace(1) %out, i64 %at
  store float %other, ptr addrspace(1) %to, align 4
  ret void
}

!0 = !{i32 64, i32 1, i32 1}
!1 = !{i32 1, i32 1, i32 1}
