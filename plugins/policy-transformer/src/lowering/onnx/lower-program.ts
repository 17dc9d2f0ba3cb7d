import { input, state } from '../../operations/leaves.js';
import type { HostArray, Tensor, TensorType } from '../../operations/tensor.js';
import { neededNodes } from '../../graph/needed-nodes.js';
import { OpenSizes } from '../open-sizes.js';
import { onnxLowerings } from './lowerings.js';
import { onnxInput, onnxOutput, onnxState, type LoweredState, ModelWriter } from './model-writer.js';
import { encodeModel } from './onnx-model.js';

export interface LoweredProgram {
  /** A serialised ONNX model. */
  readonly model: Uint8Array;
  /** Keys are the names in the graph. `onnxInput`, `onnxState` and `onnxOutput` give the names in the model. */
  readonly inputs: ReadonlyMap<string, TensorType>;
  /** State that each run gives, in the order of the graph. */
  readonly states: readonly LoweredState[];
  readonly outputs: ReadonlyMap<string, TensorType>;
}

/**
 * Writes only the nodes that the outputs need as ONNX. If the lowering of an operation asks for an open size, it is read
 * from the shape of an input or a state.
 * @param fixed data of state that becomes a constant of the model; `undefined` for other state
 */
export function lowerProgram(
  outputs: { readonly [name: string]: Tensor },
  fixed: (state: LoweredState) => HostArray | undefined = () => undefined,
  openSizes = new OpenSizes(),
): LoweredProgram {
  const nodes = neededNodes(Object.values(outputs));
  const emitter = new ModelWriter(openSizes, onnxLowerings);
  const inputs = new Map<string, TensorType>();
  const states: LoweredState[] = [];
  for (const node of nodes) {
    if (node.operation === input) {
      const { name, shape, type } = node.attributes as { readonly name: string } & TensorType;
      inputs.set(name, { shape, type });
      emitter.measure(onnxInput(name), shape);
    } else if (node.operation === state) {
      const declared = node.attributes as LoweredState;
      const data = fixed(declared);
      if (data !== undefined) emitter.bind(declared, data);
      else {
        states.push(declared);
        emitter.measure(onnxState(declared.names), declared.shape);
      }
    }
  }
  for (const [name, tensor] of Object.entries(outputs)) emitter.nameOutput(name, tensor);
  emitter.lower(nodes, Object.values(outputs));
  emitter.copyAliasedOutputs();
  const types = new Map(Object.entries(outputs).map(([name, { shape, type }]) => [name, { shape, type }]));
  const declare = ({ shape, type }: TensorType) => ({ shape: openSizes.declare(shape), type });
  const graph = {
    ...emitter.graph(),
    inputs: new Map([
      ...[...inputs].map(([name, of]) => [onnxInput(name), declare(of)] as const),
      ...states.map((state) => [onnxState(state.names), declare(state)] as const),
    ]),
    outputs: new Map([...types].map(([name, of]) => [onnxOutput(name), declare(of)])),
  };
  return { model: encodeModel(graph), inputs, states, outputs: types };
}
