import { neededNodes } from '../../graph/needed-nodes.js';
import { input, state } from '../../operations/leaves.js';
import { elementCount } from '../../operations/shapes.js';
import type { Shape, TensorType } from '../../operations/tensor.js';
import { OpenSizes } from '../open-sizes.js';
import {
  changesOf,
  isWhole,
  openPlaces,
  tensorsOf,
  type Change,
  type Place,
  type PlacedVariable,
  type ProgramPlaces,
  type ProgramTensors,
} from '../places.js';
import { onnxDeviceLowerings } from './device/lowerings.js';
import { ModelWriter, onnxInput, onnxOutput } from './model-writer.js';
import { encodeModel, type OnnxValue } from './onnx-model.js';

/** A program whose state is tensors that stay on a device. */
export interface DeviceModel<Variable extends PlacedVariable> {
  /** A serialised ONNX model. */
  readonly model: Uint8Array;
  /** Variables that a run reads, which are inputs `deviceVariable`. */
  readonly reads: readonly Variable[];
  /** Variables that get the new tensors `deviceChange`. */
  readonly changes: readonly Variable[];
}

/** The int64 numbers of a run: the open sizes, the seed of rounding, and the starts of open places. */
export const DEVICE_NUMBERS = 'numbers';
/** The int64 rows [n, 1] to which new keys and values go. */
export const DEVICE_APPEND_ROWS = 'appendRows';
export const deviceVariable = (name: string): string => `variable:${name}`;
export const deviceChange = (name: string): string => `changed:${name}`;

/**
 * Writes a program as ONNX. A variable is a tensor [rows, width]. A change of it is a new tensor, because a model cannot
 * change its inputs.
 */
export function lowerDeviceProgram<Variable extends PlacedVariable>(
  program: ProgramTensors,
  places: ProgramPlaces<Place<Variable>>,
  openSizes: { readonly [name: string]: number } = {},
): DeviceModel<Variable> {
  const open = new OpenSizes(openSizes);
  const writer = new ModelWriter(open, onnxDeviceLowerings);
  const step = (operator: string, inputs: readonly string[], attributes = {}): string => {
    const out = writer.temporary();
    writer.node(operator, inputs, [out], attributes);
    return out;
  };
  const names = Object.keys(openSizes);
  const number = (index: number) =>
    step('Slice', [DEVICE_NUMBERS, writer.integers([index]), writer.integers([index + 1])]);
  for (const [index, name] of names.entries()) writer.setSize(name, number(index));
  const starts = new Map(openPlaces(places).map((place, index) => [place, number(names.length + 1 + index)] as const));
  const startOf = (place: Place<Variable>) => starts.get(place) ?? writer.integers([place.start!]);
  const reads = new Set<Variable>();
  const variable = (of: Variable): string => {
    reads.add(of);
    return deviceVariable(of.name);
  };
  /** Rows of a variable from `first` on. */
  const part = (of: Variable, first: string, end: string) =>
    step('Slice', [variable(of), first, end, writer.integers([0])]);
  const rowsAt = (place: Place<Variable>, rows: number): string => {
    if (isWhole({ place, rows })) return variable(place.variable);
    const first = startOf(place);
    return part(place.variable, first, step('Add', [first, writer.integers([rows])]));
  };

  const inputs = new Map<string, TensorType>();
  const nodes = neededNodes(tensorsOf(program));
  let count = 0;
  for (const node of nodes) {
    if (node.operation === input) {
      const { name, shape, type } = node.attributes as { readonly name: string } & TensorType;
      inputs.set(onnxInput(name), { shape, type });
    } else if (node.operation === state) {
      const [tensor] = node.outputs as [(typeof node.outputs)[number]];
      const place = places.reads[count++]!;
      const numbers = rowsAt(place, elementCount(tensor.shape) / place.variable.width);
      writer.setName(tensor, step('Reshape', [numbers, writer.target(tensor.shape)], { allowzero: 1 }));
    }
  }
  for (const [name, tensor] of Object.entries(program.outputs)) writer.nameOutput(name, tensor);
  writer.lower(nodes, tensorsOf(program));

  const reshaped = (value: string, shape: Shape) => step('Reshape', [value, writer.target(shape)], { allowzero: 1 });
  const joined = ({ place, tensors, rows }: Change) => {
    const { width } = place.variable;
    const parts = tensors.map((tensor) => reshaped(writer.name(tensor), [elementCount(tensor.shape) / width, width]));
    return { rows, value: parts.length === 1 ? parts[0]! : step('Concat', parts, { axis: 0 }) };
  };
  const changed = new Map<Variable, string>();
  const store = (change: Change, isAdded: boolean): void => {
    const place = change.place as Place<Variable>;
    const { rows, value } = joined(change);
    const current = changed.get(place.variable);
    const numbers = isAdded ? step('Add', [rowsAt(place, rows), value]) : value;
    if (isWhole(change)) {
      changed.set(place.variable, numbers);
      return;
    }
    const first = startOf(place);
    const end = step('Add', [first, writer.integers([rows])]);
    const whole = current ?? variable(place.variable);
    const slice = (from: string, to: string) => step('Slice', [whole, from, to, writer.integers([0])]);
    const around = [
      slice(writer.integers([0]), first),
      numbers,
      slice(end, writer.integers([Number.MAX_SAFE_INTEGER])),
    ];
    changed.set(place.variable, step('Concat', around, { axis: 0 }));
  };
  for (const change of changesOf(Object.values(program.assign), places.assign)) store(change, false);
  for (const change of changesOf(Object.values(program.add), places.add)) store(change, true);
  for (const [index, tensor] of Object.values(program.append).entries()) {
    const { variable: of } = places.append[index]!;
    const updates = reshaped(writer.name(tensor), [elementCount(tensor.shape) / of.width, of.width]);
    changed.set(of, step('ScatterND', [variable(of), DEVICE_APPEND_ROWS, updates]));
  }
  for (const [of, value] of changed) writer.node('Identity', [value], [deviceChange(of.name)]);
  writer.copyAliasedOutputs();

  const declare = ({ shape, type }: TensorType) => ({ shape: open.declare(shape), type });
  const ofVariable = ({ name, width, type }: Variable) =>
    ({ shape: [`rows of ${name}`, width], type: type === 'bfloat16' ? 'float32' : type }) as const;
  const values = new Map<string, OnnxValue>([
    [DEVICE_NUMBERS, { shape: [names.length + 1 + starts.size], type: 'int64' }],
    ...[...inputs].map(([name, of]) => [name, declare(of)] as const),
    ...[...reads].map((of) => [deviceVariable(of.name), ofVariable(of)] as const),
  ]);
  if (Object.keys(program.append).length > 0) values.set(DEVICE_APPEND_ROWS, { shape: ['appended', 1], type: 'int64' });
  const graph = {
    ...writer.graph(),
    inputs: values,
    outputs: new Map([
      ...Object.entries(program.outputs).map(([name, of]) => [onnxOutput(name), declare(of)] as const),
      ...[...changed.keys()].map((of) => [deviceChange(of.name), ofVariable(of)] as const),
    ]),
  };
  return { model: encodeModel(graph), reads: [...reads], changes: [...changed.keys()] };
}
