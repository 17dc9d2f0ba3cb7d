import { cast, equal, less, lessOrEqual, or, where } from '../../operations/logic.js';
import { operand } from '../../operations/operation.js';
import type { Lowering } from '../lowerings.js';
import type { TensorFlowEmitter } from './tensorflow-emitter.js';
import { toNode } from './to-node.js';

export const tensorflowLogic: readonly Lowering<TensorFlowEmitter>[] = [
  toNode(equal, 'Equal'),
  toNode(less, 'Less'),
  toNode(lessOrEqual, 'LessEqual'),
  toNode(or, 'LogicalOr', () => ({})),
  toNode(where, 'SelectV2'),
  toNode(cast, 'Cast', (node) => ({
    SrcT: { type: operand(node, 0).type },
    DstT: { type: node.attributes.type },
  })),
];
