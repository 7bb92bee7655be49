//! What LLVM's SPIR-V back end does not take, or writes wrongly, rewritten after optimisation.
//!
//! | LLVM IR | why | instead |
//! | --- | --- | --- |
//! | `icmp eq/ne (bitcast <4 x i1> %v to i4), k` | SPIR-V has no 4-bit integers | lanes compared with bits of k |
//! | `select i1 %c, <4 x float> …` | before SPIR-V 1.4 a vector needs one of conditions | the condition in every lane |
//!
//! Worked example: `icmp eq i4 (bitcast <4 x i1> %v to i4), 0` becomes `not (%v[0] or %v[1] or %v[2] or %v[3])`: lane
//! by lane `xor %v[i], true`, joined by `and`.

use mlir_sys::*;

use crate::llvm::LlvmModule;

/// Rewrites the module in place.
pub(crate) fn legalize(module: &mut LlvmModule<'_>) {
    let (module, context) = module.raw();
    // SAFETY: module and context are alive; the builder is made and freed here; instructions are collected before any
    // is replaced, and each replaced one is erased once.
    unsafe {
        let builder = LLVMCreateBuilderInContext(context);
        for instruction in instructions(module) {
            let opcode = LLVMGetInstructionOpcode(instruction);
            if opcode == LLVMOpcode_LLVMBitCast {
                lane_bits(builder, context, instruction);
            } else if opcode == LLVMOpcode_LLVMSelect {
                vector_select(builder, context, instruction);
            }
        }
        LLVMDisposeBuilder(builder);
    }
}

/// All instructions of all functions.
///
/// # Safety
/// The module is alive.
unsafe fn instructions(module: LLVMModuleRef) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    // SAFETY: by the contract; each list ends in null.
    unsafe {
        let mut function = LLVMGetFirstFunction(module);
        while !function.is_null() {
            let mut block = LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                let mut instruction = LLVMGetFirstInstruction(block);
                while !instruction.is_null() {
                    all.push(instruction);
                    instruction = LLVMGetNextInstruction(instruction);
                }
                block = LLVMGetNextBasicBlock(block);
            }
            function = LLVMGetNextFunction(function);
        }
    }
    all
}

/// Comparisons of truth values seen as one integer.
///
/// # Safety
/// `cast` is a bitcast of a live module, `builder` a builder of its context.
unsafe fn lane_bits(builder: LLVMBuilderRef, context: LLVMContextRef, cast: LLVMValueRef) {
    // SAFETY: by the contract; operands and users of a live instruction are live.
    unsafe {
        let vector = LLVMGetOperand(cast, 0);
        let ty = LLVMTypeOf(vector);
        let of_truths = LLVMGetTypeKind(ty) == LLVMTypeKind_LLVMVectorTypeKind
            && LLVMGetElementType(ty) == LLVMInt1TypeInContext(context)
            && LLVMGetTypeKind(LLVMTypeOf(cast)) == LLVMTypeKind_LLVMIntegerTypeKind;
        if !of_truths {
            return;
        }
        let lanes = LLVMGetVectorSize(ty).min(64);
        let mut users = Vec::new();
        let mut at = LLVMGetFirstUse(cast);
        while !at.is_null() {
            users.push(LLVMGetUser(at));
            at = LLVMGetNextUse(at);
        }
        for user in users {
            let compares = LLVMGetInstructionOpcode(user) == LLVMOpcode_LLVMICmp;
            let predicate = if compares { LLVMGetICmpPredicate(user) } else { 0 };
            let constant = if compares { LLVMIsAConstantInt(LLVMGetOperand(user, 1)) } else { std::ptr::null_mut() };
            let equal = predicate == LLVMIntPredicate_LLVMIntEQ;
            if constant.is_null() || !equal && predicate != LLVMIntPredicate_LLVMIntNE {
                continue;
            }
            LLVMPositionBuilderBefore(builder, user);
            let bits = LLVMConstIntGetZExtValue(constant);
            let joined = joined_lanes(builder, context, (vector, lanes), (bits, equal));
            LLVMReplaceAllUsesWith(user, joined);
            LLVMInstructionEraseFromParent(user);
        }
        if LLVMGetFirstUse(cast).is_null() {
            LLVMInstructionEraseFromParent(cast);
        }
    }
}

/// Whether all lanes of a vector of truth values are as the bits say (`equal`), or any is not.
///
/// # Safety
/// The builder stands in a live block where the vector is visible.
unsafe fn joined_lanes(
    builder: LLVMBuilderRef,
    context: LLVMContextRef,
    (vector, lanes): (LLVMValueRef, u32),
    (bits, equal): (u64, bool),
) -> LLVMValueRef {
    // SAFETY: by the contract.
    unsafe {
        let (truth, index) = (LLVMInt1TypeInContext(context), LLVMInt32TypeInContext(context));
        let yes = LLVMConstInt(truth, 1, 0);
        let mut joined: Option<LLVMValueRef> = None;
        for lane in 0..lanes {
            let at = LLVMConstInt(index, u64::from(lane), 0);
            let mut value = LLVMBuildExtractElement(builder, vector, at, c"".as_ptr());
            // Equal: the lane must be its bit. Unequal: it must not.
            if (bits >> lane & 1 == 1) != equal {
                value = LLVMBuildXor(builder, value, yes, c"".as_ptr());
            }
            joined = Some(match joined {
                None => value,
                Some(before) if equal => LLVMBuildAnd(builder, before, value, c"".as_ptr()),
                Some(before) => LLVMBuildOr(builder, before, value, c"".as_ptr()),
            });
        }
        joined.unwrap_or_else(|| LLVMConstInt(truth, u64::from(equal), 0))
    }
}

/// A vector selected by one condition.
///
/// # Safety
/// As [`lane_bits`], of a select.
unsafe fn vector_select(builder: LLVMBuilderRef, context: LLVMContextRef, select: LLVMValueRef) {
    // SAFETY: by the contract.
    unsafe {
        let (ty, condition) = (LLVMTypeOf(select), LLVMGetOperand(select, 0));
        let one = LLVMGetTypeKind(LLVMTypeOf(condition)) == LLVMTypeKind_LLVMIntegerTypeKind;
        if !one || LLVMGetTypeKind(ty) != LLVMTypeKind_LLVMVectorTypeKind {
            return;
        }
        LLVMPositionBuilderBefore(builder, select);
        let truths = LLVMVectorType(LLVMInt1TypeInContext(context), LLVMGetVectorSize(ty));
        let mut all = LLVMGetPoison(truths);
        for lane in 0..LLVMGetVectorSize(ty) {
            let at = LLVMConstInt(LLVMInt32TypeInContext(context), u64::from(lane), 0);
            all = LLVMBuildInsertElement(builder, all, condition, at, c"".as_ptr());
        }
        LLVMSetOperand(select, 0, all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::LlvmContext;

    fn legalized(body: &str) -> String {
        let context = LlvmContext::new();
        let text = format!("define void @f(<4 x i1> %v, i1 %c, <4 x float> %a, ptr %p) {{\n{body}\n  ret void\n}}\n");
        let mut module = LlvmModule::parse(&context, text.as_bytes()).expect("LLVM IR");
        legalize(&mut module);
        module.print()
    }

    #[test]
    fn truth_values_are_compared_lane_by_lane() {
        let compare =
            |what: &str| legalized(&format!("%b = bitcast <4 x i1> %v to i4\n %r = icmp {what}\n store i1 %r, ptr %p"));
        let any = compare("ne i4 %b, 0");
        assert!(!any.contains("i4") && any.matches("or i1").count() == 3 && !any.contains("xor"), "{any}");
        let all = compare("eq i4 %b, -1");
        assert!(all.matches("and i1").count() == 3 && !all.contains("xor"), "{all}");
        let some = compare("eq i4 %b, 5");
        assert!(some.matches("and i1").count() == 3 && some.matches("xor i1").count() == 2, "{some}");
        // Nothing else is known of such integers: left as it is, and LLVM refuses it.
        assert!(compare("ult i4 %b, 3").contains("i4"));
    }

    #[test]
    fn vectors_have_a_condition_a_lane() {
        let text =
            legalized("%r = select i1 %c, <4 x float> %a, <4 x float> zeroinitializer\n store <4 x float> %r, ptr %p");
        assert!(text.contains("select <4 x i1>") && text.matches("insertelement").count() == 4, "{text}");
        let scalar = legalized("%r = select i1 %c, i32 1, i32 2\n store i32 %r, ptr %p");
        assert!(!scalar.contains("insertelement"), "{scalar}");
    }
}
