; memcpy, memmove, memset: what LLVM calls for block copies and fills. Plain byte loops that the loop vectoriser widens
; to the target's vectors; "no-builtins" keeps LLVM from turning them into calls of themselves.

define hidden ptr @memcpy(ptr noalias %to, ptr noalias %from, i64 %count) #0 section ".text.memcpy" {
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %copy
copy:
  %i = phi i64 [ 0, %entry ], [ %next, %copy ]
  %source = getelementptr i8, ptr %from, i64 %i
  %target = getelementptr i8, ptr %to, i64 %i
  %byte = load i8, ptr %source
  store i8 %byte, ptr %target
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %count
  br i1 %end, label %done, label %copy
done:
  ret ptr %to
}

define hidden ptr @memmove(ptr %to, ptr %from, i64 %count) #0 section ".text.memmove" {
entry:
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %choose
choose:
  %to_address = ptrtoint ptr %to to i64
  %from_address = ptrtoint ptr %from to i64
  %ahead = sub i64 %to_address, %from_address
  %forward_is_safe = icmp uge i64 %ahead, %count
  br i1 %forward_is_safe, label %forward, label %backward
forward:
  %i = phi i64 [ 0, %choose ], [ %next, %forward ]
  %source = getelementptr i8, ptr %from, i64 %i
  %target = getelementptr i8, ptr %to, i64 %i
  %byte = load i8, ptr %source
  store i8 %byte, ptr %target
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %count
  br i1 %end, label %done, label %forward
backward:
  %j = phi i64 [ %count, %choose ], [ %previous, %backward ]
  %previous = sub nuw i64 %j, 1
  %back_source = getelementptr i8, ptr %from, i64 %previous
  %back_target = getelementptr i8, ptr %to, i64 %previous
  %back_byte = load i8, ptr %back_source
  store i8 %back_byte, ptr %back_target
  %start = icmp eq i64 %previous, 0
  br i1 %start, label %done, label %backward
done:
  ret ptr %to
}

define hidden ptr @memset(ptr %to, i32 %value, i64 %count) #0 section ".text.memset" {
entry:
  %byte = trunc i32 %value to i8
  %none = icmp eq i64 %count, 0
  br i1 %none, label %done, label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %next, %fill ]
  %target = getelementptr i8, ptr %to, i64 %i
  store i8 %byte, ptr %target
  %next = add nuw i64 %i, 1
  %end = icmp eq i64 %next, %count
  br i1 %end, label %done, label %fill
done:
  ret ptr %to
}

attributes #0 = { nounwind "no-builtins" }
