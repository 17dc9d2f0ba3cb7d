import { Lowerings } from '../lowerings.js';
import { onnxAttention } from './attention.js';
import { onnxElementwise } from './elementwise.js';
import { onnxIndexing } from './indexing.js';
import { onnxLayout } from './layout.js';
import { onnxLeaves } from './leaves.js';
import { onnxLogic } from './logic.js';
import { onnxProducts } from './matmul.js';
import { onnxNormalization } from './normalization.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { onnxQuantizedProducts } from './quantized-matmul.js';
import { onnxReductions } from './reductions.js';
import { onnxSoftmaxes } from './softmax.js';

export const onnxLowerings = new Lowerings<OnnxEmitter>('onnx', [
  ...onnxLeaves,
  ...onnxElementwise,
  ...onnxLogic,
  ...onnxLayout,
  ...onnxProducts,
  ...onnxQuantizedProducts,
  ...onnxIndexing,
  ...onnxReductions,
  ...onnxSoftmaxes,
  ...onnxNormalization,
  ...onnxAttention,
]);
