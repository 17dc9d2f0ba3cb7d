import { Lowerings } from '../lowerings.js';
import { tensorflowAttention } from './attention.js';
import { tensorflowElementwise } from './elementwise.js';
import { tensorflowIndexing } from './indexing.js';
import { tensorflowLayout } from './layout.js';
import { tensorflowLeaves } from './leaves.js';
import { tensorflowLogic } from './logic.js';
import { tensorflowProducts } from './matmul.js';
import { tensorflowNormalization } from './normalization.js';
import { tensorflowQuantizedProducts } from './quantized-matmul.js';
import { tensorflowReductions } from './reductions.js';
import { tensorflowSoftmaxes } from './softmax.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';

export const tensorflowLowerings = new Lowerings<TensorFlowEmitter>('tensorflow', [
  ...tensorflowLeaves,
  ...tensorflowElementwise,
  ...tensorflowLogic,
  ...tensorflowLayout,
  ...tensorflowProducts,
  ...tensorflowQuantizedProducts,
  ...tensorflowIndexing,
  ...tensorflowReductions,
  ...tensorflowSoftmaxes,
  ...tensorflowNormalization,
  ...tensorflowAttention,
]);
