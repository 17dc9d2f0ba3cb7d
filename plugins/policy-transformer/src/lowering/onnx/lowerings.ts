import { Lowerings } from '../lowerings.js';
import { attention } from './attention.js';
import { elementwise } from './elementwise.js';
import { indexing } from './indexing.js';
import { layout } from './layout.js';
import { leaves } from './leaves.js';
import { logic } from './logic.js';
import { products } from './matmul.js';
import { normalization } from './normalization.js';
import type { OnnxEmitter } from './onnx-emitter.js';
import { reductions } from './reductions.js';
import { softmaxes } from './softmax.js';

export const lowerings = new Lowerings<OnnxEmitter>('onnx', [
  ...leaves,
  ...elementwise,
  ...logic,
  ...layout,
  ...products,
  ...indexing,
  ...reductions,
  ...softmaxes,
  ...normalization,
  ...attention,
]);
