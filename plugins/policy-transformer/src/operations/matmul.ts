import { operand, typeOf, type Operation } from './operation.js';
import { broadcastShapes, describeType, sizeOf, sumToShape } from './shapes.js';

export interface MatmulAttributes {
  readonly transposeLeft: boolean;
  readonly transposeRight: boolean;
  readonly scale: number;
  readonly fewRows: boolean;
  readonly coarse: boolean;
}

/** Both operands have at least rank 2. */
export const matmul: Operation<MatmulAttributes> = {
  name: 'matmul',
  infer: (inputs, { transposeLeft, transposeRight }) => {
    const left = typeOf(inputs, 0);
    const right = typeOf(inputs, 1);
    const rows = sizeOf(left.shape, transposeLeft ? -1 : -2);
    const columns = sizeOf(right.shape, transposeRight ? -2 : -1);
    const inner = sizeOf(left.shape, transposeLeft ? -2 : -1);
    if (
      inner !== sizeOf(right.shape, transposeRight ? -1 : -2) ||
      left.type !== 'float32' ||
      right.type !== 'float32'
    ) {
      const flags = `${transposeLeft ? ', left transposed' : ''}${transposeRight ? ', right transposed' : ''}`;
      throw new Error(`matmul of ${describeType(left)} and ${describeType(right)}${flags}`);
    }
    const batch = broadcastShapes(left.shape.slice(0, -2), right.shape.slice(0, -2));
    return [{ shape: [...batch, rows, columns], type: 'float32' }];
  },
  gradient: (graph, node, [gradient]) => {
    if (gradient === undefined) return [];
    const left = operand(node, 0);
    const right = operand(node, 1);
    const { transposeLeft, transposeRight, scale, coarse } = node.attributes;
    const toLeft = transposeLeft
      ? graph.matmul(right, gradient, { transposeLeft: transposeRight, transposeRight: true, scale, coarse })
      : graph.matmul(gradient, right, { transposeRight: !transposeRight, scale, coarse });
    const toRight = transposeRight
      ? graph.matmul(gradient, left, { transposeLeft: true, transposeRight: transposeLeft, scale, coarse })
      : graph.matmul(left, gradient, { transposeLeft: !transposeLeft, scale, coarse });
    return [sumToShape(graph, toLeft, left.shape), sumToShape(graph, toRight, right.shape)];
  },
};
