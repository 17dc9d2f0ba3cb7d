/**
 * Writes the few messages of a SavedModel that a graph needs (github.com/tensorflow/tensorflow,
 * tensorflow/core/protobuf/saved_model.proto, meta_graph.proto, and tensorflow/core/framework/graph.proto, node_def.proto,
 * attr_value.proto, tensor.proto), field by field. Numbers are the field numbers of these files.
 */
import type { ElementType, HostArray, Shape } from '../../operations/tensor.js';
import { bytes, float, integer, message, newWriter, text, type Writer } from '../protobuf.js';

/** Types of TensorFlow that agentgym uses. */
export type TensorFlowType = ElementType | 'bfloat16' | 'uint32';

/** TensorFlow's numbers for types (tensorflow/core/framework/types.proto). */
export const TENSORFLOW_TYPES: { readonly [Type in TensorFlowType]: number } = {
  float32: 1,
  int32: 3,
  uint8: 4,
  int8: 6,
  bool: 10,
  bfloat16: 14,
  uint32: 22,
};

/** Values of attributes: whole numbers are `i`, `{float}` is `f`, booleans `b`, strings `s`. */
type TensorFlowAttribute =
  | number
  | boolean
  | string
  | { readonly float: number }
  | { readonly type: TensorFlowType }
  /** Without sizes: of unknown rank. */
  | { readonly shape: Shape | undefined }
  | { readonly data: HostArray; readonly of: { readonly type: TensorFlowType; readonly shape: Shape } };

export type TensorFlowAttributes = { readonly [name: string]: TensorFlowAttribute };

export interface TensorFlowNode {
  readonly name: string;
  readonly operator: string;
  /** `name` or `name:output`; `^name` only has to run before. */
  readonly inputs: readonly string[];
  readonly attributes: TensorFlowAttributes;
}

/** The tag under which the graph is loaded. */
export const SERVE = 'serve';

/**
 * Version of the graph format. Nothing here depends on it but that it is neither too old nor too new
 * (tensorflow/core/public/version.h: TF_GRAPH_DEF_VERSION_MIN_PRODUCER).
 */
const PRODUCER = 1087;

/** A serialised SavedModel with one graph, without signatures and without a checkpoint. */
export function encodeSavedModel(nodes: readonly TensorFlowNode[]): Uint8Array {
  const writer = newWriter();
  integer(writer, 1, 1);
  message(writer, 2, (metaGraph) => {
    message(metaGraph, 1, (information) => text(information, 4, SERVE));
    message(metaGraph, 2, (graph) => {
      for (const node of nodes) message(graph, 1, (into) => writeNode(into, node));
      message(graph, 4, (versions) => integer(versions, 1, PRODUCER));
    });
  });
  return writer.finish();
}

function writeNode(writer: Writer, { name, operator, inputs, attributes }: TensorFlowNode): void {
  text(writer, 1, name);
  text(writer, 2, operator);
  for (const input of inputs) text(writer, 3, input);
  for (const [key, value] of Object.entries(attributes)) {
    message(writer, 5, (entry) => {
      text(entry, 1, key);
      message(entry, 2, (into) => writeAttribute(into, value));
    });
  }
}

function writeAttribute(writer: Writer, value: TensorFlowAttribute): void {
  if (typeof value === 'number') integer(writer, 3, value);
  else if (typeof value === 'boolean') writer.uint32(5 * 8).bool(value);
  else if (typeof value === 'string') text(writer, 2, value);
  else if ('float' in value) float(writer, 4, value.float);
  else if ('type' in value) integer(writer, 6, TENSORFLOW_TYPES[value.type]);
  else if ('shape' in value) message(writer, 7, (into) => writeShape(into, value.shape));
  else {
    message(writer, 8, (tensor) => {
      integer(tensor, 1, TENSORFLOW_TYPES[value.of.type]);
      message(tensor, 2, (into) => writeShape(into, value.of.shape));
      bytes(tensor, 4, value.data);
    });
  }
}

function writeShape(writer: Writer, shape: Shape | undefined): void {
  if (shape === undefined) writer.uint32(3 * 8).bool(true);
  else for (const size of shape) message(writer, 2, (dimension) => integer(dimension, 1, size));
}
