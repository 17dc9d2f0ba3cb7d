/**
 * Writes the few ONNX messages that a graph needs (github.com/onnx/onnx, onnx/onnx.proto), field by field. Numbers are
 * the field numbers of that file.
 */
import { encoded, fieldOf, float, integer, joined, message, text, type Writer } from '../protobuf.js';
import { ONNX_TYPES, type OnnxAttribute, type OnnxAttributes } from './onnx-emitter.js';
import type { HostArray, TensorType } from '../../operations/tensor.js';

export interface OnnxNode {
  readonly operator: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: OnnxAttributes;
}

export interface OnnxInitializer {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly type: TensorType['type'] | 'int64';
  readonly data: HostArray | BigInt64Array;
}

/** An input or output. An open size is a name. */
export interface OnnxValue {
  readonly shape: readonly (number | string)[];
  readonly type: TensorType['type'] | 'int64';
}

export interface OnnxGraph {
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxInitializer[];
  readonly inputs: ReadonlyMap<string, OnnxValue>;
  readonly outputs: ReadonlyMap<string, OnnxValue>;
}

/** The first version with RotaryEmbedding. */
const OPERATOR_SET = 23;
const FILE_VERSION = 10;
const INT64 = 7;

/** A serialised ModelProto. The numbers of initializers, which may be a gigabyte, are copied once. */
export function encodeModel(graph: OnnxGraph): Uint8Array {
  const start = encoded((writer) => {
    integer(writer, 1, FILE_VERSION);
    text(writer, 2, 'agentgym');
  });
  const domains = new Set(['', ...graph.nodes.map(({ domain }) => domain)]);
  const operatorSets = encoded((writer) => {
    for (const domain of domains) {
      message(writer, 8, (into) => {
        text(into, 1, domain);
        integer(into, 2, domain === '' ? OPERATOR_SET : 1);
      });
    }
  });
  return joined([start, ...fieldOf(7, graphParts(graph)), operatorSets]);
}

function graphParts(graph: OnnxGraph): readonly Uint8Array[] {
  const nodes = encoded((writer) => {
    for (const node of graph.nodes) message(writer, 1, (into) => writeNode(into, node));
    text(writer, 2, 'graph');
  });
  const initializers = graph.initializers.flatMap((initializer) => fieldOf(5, initializerParts(initializer)));
  const values = encoded((writer) => {
    for (const [name, type] of graph.inputs) message(writer, 11, (into) => writeValue(into, name, type));
    for (const [name, type] of graph.outputs) message(writer, 12, (into) => writeValue(into, name, type));
  });
  return [nodes, ...initializers, values];
}

function writeNode(writer: Writer, node: OnnxNode): void {
  for (const name of node.inputs) text(writer, 1, name);
  for (const name of node.outputs) text(writer, 2, name);
  text(writer, 4, node.operator);
  for (const [name, value] of Object.entries(node.attributes)) {
    message(writer, 5, (into) => writeAttribute(into, name, value));
  }
  text(writer, 7, node.domain);
}

/** `type` (field 20) says which value field is set. */
function writeAttribute(writer: Writer, name: string, value: OnnxAttribute): void {
  text(writer, 1, name);
  if (typeof value === 'number') {
    integer(writer, 3, value);
    integer(writer, 20, 2);
  } else if (typeof value === 'string') {
    text(writer, 4, value);
    integer(writer, 20, 3);
  } else if ('float' in value) {
    float(writer, 2, value.float);
    integer(writer, 20, 1);
  } else {
    for (const item of value) integer(writer, 8, item);
    integer(writer, 20, 7);
  }
}

function initializerParts({ name, dimensions, type, data }: OnnxInitializer): readonly Uint8Array[] {
  const start = encoded((writer) => {
    for (const size of dimensions) integer(writer, 1, size);
    integer(writer, 2, numberOf(type));
    text(writer, 8, name);
  });
  return [start, ...fieldOf(9, [new Uint8Array(data.buffer, data.byteOffset, data.byteLength)])];
}

function numberOf(type: TensorType['type'] | 'int64'): number {
  return type === 'int64' ? INT64 : ONNX_TYPES[type];
}

function writeValue(writer: Writer, name: string, { shape, type }: OnnxValue): void {
  text(writer, 1, name);
  message(writer, 2, (typeMessage) =>
    message(typeMessage, 1, (tensorMessage) => {
      integer(tensorMessage, 1, numberOf(type));
      message(tensorMessage, 2, (shapeMessage) => {
        for (const size of shape) {
          message(shapeMessage, 1, (dimension) =>
            typeof size === 'number' ? integer(dimension, 1, size) : text(dimension, 2, size),
          );
        }
      });
    }),
  );
}
