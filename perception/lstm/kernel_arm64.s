#include "textflag.h"

// The products that kernel.go describes, for NEON, with its dot product and without. The assembler lacks
// most vector instructions: they stand as words, with what they are behind them. A panel is 16 outputs, a
// group 4 inputs; so a group of a panel is 64 bytes of weights: four registers.

// DOT_ARGS loads the arguments of dot. R0 weights, R1 first sums, R2 R3 R4 R5 the four inputs, R6 groups,
// R7 panels, R8 the first output, R9 the bytes from the outputs of one vector to those of the next.
#define DOT_ARGS \
	MOVD w+0(FP), R0       \
	MOVD from+8(FP), R1    \
	MOVD x+16(FP), R2      \
	MOVD stride+24(FP), R10 \
	MOVD groups+32(FP), R6 \
	MOVD panels+40(FP), R7 \
	MOVD out+48(FP), R8    \
	ADD R10, R2, R3        \
	ADD R10, R3, R4        \
	ADD R10, R4, R5        \
	LSL $6, R7, R9

// START sets the sums of a panel for the four vectors, in V0 to V15.
#define START \
	VLD1.P 64(R1), [V0.S4, V1.S4, V2.S4, V3.S4] \
	VMOV V0.B16, V4.B16   \
	VMOV V1.B16, V5.B16   \
	VMOV V2.B16, V6.B16   \
	VMOV V3.B16, V7.B16   \
	VMOV V0.B16, V8.B16   \
	VMOV V1.B16, V9.B16   \
	VMOV V2.B16, V10.B16  \
	VMOV V3.B16, V11.B16  \
	VMOV V0.B16, V12.B16  \
	VMOV V1.B16, V13.B16  \
	VMOV V2.B16, V14.B16  \
	VMOV V3.B16, V15.B16  \
	MOVD R2, R11          \
	MOVD R3, R12          \
	MOVD R4, R13          \
	MOVD R5, R14          \
	MOVD R6, R15

// LOAD loads the weights of a group, in V16 to V19, and a group of each vector, four times, in V20 to V23.
#define LOAD \
	VLD1.P 64(R0), [V16.B16, V17.B16, V18.B16, V19.B16] \
	VLD1R.P 4(R11), [V20.S4] \
	VLD1R.P 4(R12), [V21.S4] \
	VLD1R.P 4(R13), [V22.S4] \
	VLD1R.P 4(R14), [V23.S4]

// STORE writes the sums of a panel, and moves on to the next.
#define STORE \
	ADD R9, R8, R11   \
	ADD R9, R11, R12  \
	ADD R9, R12, R13  \
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R8) \
	VST1 [V4.S4, V5.S4, V6.S4, V7.S4], (R11)    \
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R12)  \
	VST1 [V12.S4, V13.S4, V14.S4, V15.S4], (R13) \
	SUBS $1, R7

// func dotSDOT(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
TEXT ·dotSDOT(SB), NOSPLIT, $0-56
	DOT_ARGS
panel:
	START
groups:
	LOAD
	WORD $0x4e949600 // sdot v0.4s, v16.16b, v20.16b
	WORD $0x4e949621 // sdot v1.4s, v17.16b, v20.16b
	WORD $0x4e949642 // sdot v2.4s, v18.16b, v20.16b
	WORD $0x4e949663 // sdot v3.4s, v19.16b, v20.16b
	WORD $0x4e959604 // sdot v4.4s, v16.16b, v21.16b
	WORD $0x4e959625 // sdot v5.4s, v17.16b, v21.16b
	WORD $0x4e959646 // sdot v6.4s, v18.16b, v21.16b
	WORD $0x4e959667 // sdot v7.4s, v19.16b, v21.16b
	WORD $0x4e969608 // sdot v8.4s, v16.16b, v22.16b
	WORD $0x4e969629 // sdot v9.4s, v17.16b, v22.16b
	WORD $0x4e96964a // sdot v10.4s, v18.16b, v22.16b
	WORD $0x4e96966b // sdot v11.4s, v19.16b, v22.16b
	WORD $0x4e97960c // sdot v12.4s, v16.16b, v23.16b
	WORD $0x4e97962d // sdot v13.4s, v17.16b, v23.16b
	WORD $0x4e97964e // sdot v14.4s, v18.16b, v23.16b
	WORD $0x4e97966f // sdot v15.4s, v19.16b, v23.16b
	SUBS $1, R15
	BNE groups
	STORE
	BNE panel
	RET

// ZERO clears V0 to V15, the sums of a panel for two vectors: each output has two, of two inputs of a group each.
#define ZERO \
	VEOR V0.B16, V0.B16, V0.B16 \
	VEOR V1.B16, V1.B16, V1.B16 \
	VEOR V2.B16, V2.B16, V2.B16 \
	VEOR V3.B16, V3.B16, V3.B16 \
	VEOR V4.B16, V4.B16, V4.B16 \
	VEOR V5.B16, V5.B16, V5.B16 \
	VEOR V6.B16, V6.B16, V6.B16 \
	VEOR V7.B16, V7.B16, V7.B16 \
	VEOR V8.B16, V8.B16, V8.B16 \
	VEOR V9.B16, V9.B16, V9.B16 \
	VEOR V10.B16, V10.B16, V10.B16 \
	VEOR V11.B16, V11.B16, V11.B16 \
	VEOR V12.B16, V12.B16, V12.B16 \
	VEOR V13.B16, V13.B16, V13.B16 \
	VEOR V14.B16, V14.B16, V14.B16 \
	VEOR V15.B16, V15.B16, V15.B16

// func dotNEON(w *int8, from *int32, x *int8, stride, groups, panels int, out *int32)
//
// Two products of bytes fit 16 bits: those of two groups are added there, and pairs of these to the sums. Two vectors are
// multiplied at once, then the other two by the same weights.
TEXT ·dotNEON(SB), NOSPLIT, $0-56
	DOT_ARGS
	MOVD R8, R16 // the sums of the panel's first two vectors
	MOVD $0, R19 // whether these are done
	MOVD R0, R17 // the weights of the panel
panel:
	MOVD R2, R11
	MOVD R3, R12
half:
	ZERO
	MOVD R17, R0
	SUBS $2, R6, R15
	BLT odd
groups:
	VLD1.P 64(R0), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1.P 64(R0), [V20.B16, V21.B16, V22.B16, V23.B16]
	VLD1R.P 4(R11), [V24.S4]
	VLD1R.P 4(R11), [V25.S4]
	VLD1R.P 4(R12), [V26.S4]
	VLD1R.P 4(R12), [V27.S4]
	WORD $0x0e38c21c // smull v28.8h, v16.8b, v24.8b
	WORD $0x4e38c21d // smull2 v29.8h, v16.16b, v24.16b
	WORD $0x0e39829c // smlal v28.8h, v20.8b, v25.8b
	WORD $0x4e39829d // smlal2 v29.8h, v20.16b, v25.16b
	WORD $0x4e606b80 // sadalp v0.4s, v28.8h
	WORD $0x4e606ba1 // sadalp v1.4s, v29.8h
	WORD $0x0e38c23e // smull v30.8h, v17.8b, v24.8b
	WORD $0x4e38c23f // smull2 v31.8h, v17.16b, v24.16b
	WORD $0x0e3982be // smlal v30.8h, v21.8b, v25.8b
	WORD $0x4e3982bf // smlal2 v31.8h, v21.16b, v25.16b
	WORD $0x4e606bc2 // sadalp v2.4s, v30.8h
	WORD $0x4e606be3 // sadalp v3.4s, v31.8h
	WORD $0x0e38c25c // smull v28.8h, v18.8b, v24.8b
	WORD $0x4e38c25d // smull2 v29.8h, v18.16b, v24.16b
	WORD $0x0e3982dc // smlal v28.8h, v22.8b, v25.8b
	WORD $0x4e3982dd // smlal2 v29.8h, v22.16b, v25.16b
	WORD $0x4e606b84 // sadalp v4.4s, v28.8h
	WORD $0x4e606ba5 // sadalp v5.4s, v29.8h
	WORD $0x0e38c27e // smull v30.8h, v19.8b, v24.8b
	WORD $0x4e38c27f // smull2 v31.8h, v19.16b, v24.16b
	WORD $0x0e3982fe // smlal v30.8h, v23.8b, v25.8b
	WORD $0x4e3982ff // smlal2 v31.8h, v23.16b, v25.16b
	WORD $0x4e606bc6 // sadalp v6.4s, v30.8h
	WORD $0x4e606be7 // sadalp v7.4s, v31.8h
	WORD $0x0e3ac21c // smull v28.8h, v16.8b, v26.8b
	WORD $0x4e3ac21d // smull2 v29.8h, v16.16b, v26.16b
	WORD $0x0e3b829c // smlal v28.8h, v20.8b, v27.8b
	WORD $0x4e3b829d // smlal2 v29.8h, v20.16b, v27.16b
	WORD $0x4e606b88 // sadalp v8.4s, v28.8h
	WORD $0x4e606ba9 // sadalp v9.4s, v29.8h
	WORD $0x0e3ac23e // smull v30.8h, v17.8b, v26.8b
	WORD $0x4e3ac23f // smull2 v31.8h, v17.16b, v26.16b
	WORD $0x0e3b82be // smlal v30.8h, v21.8b, v27.8b
	WORD $0x4e3b82bf // smlal2 v31.8h, v21.16b, v27.16b
	WORD $0x4e606bca // sadalp v10.4s, v30.8h
	WORD $0x4e606beb // sadalp v11.4s, v31.8h
	WORD $0x0e3ac25c // smull v28.8h, v18.8b, v26.8b
	WORD $0x4e3ac25d // smull2 v29.8h, v18.16b, v26.16b
	WORD $0x0e3b82dc // smlal v28.8h, v22.8b, v27.8b
	WORD $0x4e3b82dd // smlal2 v29.8h, v22.16b, v27.16b
	WORD $0x4e606b8c // sadalp v12.4s, v28.8h
	WORD $0x4e606bad // sadalp v13.4s, v29.8h
	WORD $0x0e3ac27e // smull v30.8h, v19.8b, v26.8b
	WORD $0x4e3ac27f // smull2 v31.8h, v19.16b, v26.16b
	WORD $0x0e3b82fe // smlal v30.8h, v23.8b, v27.8b
	WORD $0x4e3b82ff // smlal2 v31.8h, v23.16b, v27.16b
	WORD $0x4e606bce // sadalp v14.4s, v30.8h
	WORD $0x4e606bef // sadalp v15.4s, v31.8h
	SUBS $2, R15
	BGE groups
odd:
	TBZ $0, R6, sums
	VLD1.P 64(R0), [V16.B16, V17.B16, V18.B16, V19.B16]
	VLD1R (R11), [V24.S4]
	VLD1R (R12), [V26.S4]
	WORD $0x0e38c21c // smull v28.8h, v16.8b, v24.8b
	WORD $0x4e38c21d // smull2 v29.8h, v16.16b, v24.16b
	WORD $0x4e606b80 // sadalp v0.4s, v28.8h
	WORD $0x4e606ba1 // sadalp v1.4s, v29.8h
	WORD $0x0e38c23e // smull v30.8h, v17.8b, v24.8b
	WORD $0x4e38c23f // smull2 v31.8h, v17.16b, v24.16b
	WORD $0x4e606bc2 // sadalp v2.4s, v30.8h
	WORD $0x4e606be3 // sadalp v3.4s, v31.8h
	WORD $0x0e38c25c // smull v28.8h, v18.8b, v24.8b
	WORD $0x4e38c25d // smull2 v29.8h, v18.16b, v24.16b
	WORD $0x4e606b84 // sadalp v4.4s, v28.8h
	WORD $0x4e606ba5 // sadalp v5.4s, v29.8h
	WORD $0x0e38c27e // smull v30.8h, v19.8b, v24.8b
	WORD $0x4e38c27f // smull2 v31.8h, v19.16b, v24.16b
	WORD $0x4e606bc6 // sadalp v6.4s, v30.8h
	WORD $0x4e606be7 // sadalp v7.4s, v31.8h
	WORD $0x0e3ac21c // smull v28.8h, v16.8b, v26.8b
	WORD $0x4e3ac21d // smull2 v29.8h, v16.16b, v26.16b
	WORD $0x4e606b88 // sadalp v8.4s, v28.8h
	WORD $0x4e606ba9 // sadalp v9.4s, v29.8h
	WORD $0x0e3ac23e // smull v30.8h, v17.8b, v26.8b
	WORD $0x4e3ac23f // smull2 v31.8h, v17.16b, v26.16b
	WORD $0x4e606bca // sadalp v10.4s, v30.8h
	WORD $0x4e606beb // sadalp v11.4s, v31.8h
	WORD $0x0e3ac25c // smull v28.8h, v18.8b, v26.8b
	WORD $0x4e3ac25d // smull2 v29.8h, v18.16b, v26.16b
	WORD $0x4e606b8c // sadalp v12.4s, v28.8h
	WORD $0x4e606bad // sadalp v13.4s, v29.8h
	WORD $0x0e3ac27e // smull v30.8h, v19.8b, v26.8b
	WORD $0x4e3ac27f // smull2 v31.8h, v19.16b, v26.16b
	WORD $0x4e606bce // sadalp v14.4s, v30.8h
	WORD $0x4e606bef // sadalp v15.4s, v31.8h
sums:
	VLD1 (R1), [V16.S4, V17.S4, V18.S4, V19.S4]
	VADDP V1.S4, V0.S4, V0.S4
	VADD V16.S4, V0.S4, V0.S4
	VADDP V3.S4, V2.S4, V1.S4
	VADD V17.S4, V1.S4, V1.S4
	VADDP V5.S4, V4.S4, V2.S4
	VADD V18.S4, V2.S4, V2.S4
	VADDP V7.S4, V6.S4, V3.S4
	VADD V19.S4, V3.S4, V3.S4
	VADDP V9.S4, V8.S4, V8.S4
	VADD V16.S4, V8.S4, V8.S4
	VADDP V11.S4, V10.S4, V9.S4
	VADD V17.S4, V9.S4, V9.S4
	VADDP V13.S4, V12.S4, V10.S4
	VADD V18.S4, V10.S4, V10.S4
	VADDP V15.S4, V14.S4, V11.S4
	VADD V19.S4, V11.S4, V11.S4
	ADD R9, R16, R10
	VST1 [V0.S4, V1.S4, V2.S4, V3.S4], (R16)
	VST1 [V8.S4, V9.S4, V10.S4, V11.S4], (R10)
	CBNZ R19, next
	MOVD $1, R19
	ADD R9, R10, R16
	MOVD R4, R11
	MOVD R5, R12
	B half
next:
	MOVD $0, R19
	MOVD R0, R17
	ADD $64, R1
	ADD $64, R8
	MOVD R8, R16
	SUBS $1, R7
	BNE panel
	RET
