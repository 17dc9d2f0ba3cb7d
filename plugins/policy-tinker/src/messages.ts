// The protocol's binary messages (package tinker_public, proto3), with the numbers of the descriptor in the SDK 0.38.0.
import type { JsonPlace } from '@agentgym/cli';
import protobuf from 'protobufjs';

const { root } = protobuf.parse(`
syntax = "proto3";

message EncodedText { bytes tokens = 1; }
message Chunk { EncodedText encoded_text = 1; }
message Tensor { bytes dense = 1; int32 dtype = 3; repeated int64 shape = 4; }
message Datum { repeated Chunk model_input = 1; map<string, Tensor> loss_fn_inputs = 2; }
message LossSetting { double number = 1; string text = 2; }
message ForwardBackwardRequest {
  string model_id = 1;
  int32 seq_id = 2;
  repeated Datum data = 3;
  string loss_fn = 4;
  map<string, double> loss_fn_config = 5;
  bool forward_only = 6;
  map<string, LossSetting> loss_fn_config_v2 = 7;
}

message BatchedTensor { bytes data = 1; bytes offsets = 2; int32 dtype = 3; }
message ArrayRecord { map<string, BatchedTensor> fields = 2; int32 num_datums = 3; }
message ForwardBackwardOutput { repeated ArrayRecord loss_fn_outputs = 2; }

message SampledSequence { int32 stop_reason = 1; bytes tokens = 2; bytes logprobs = 3; }
message SampleResponse { repeated SampledSequence sequences = 1; }
`);
export const ForwardBackwardRequest = root.lookupType('ForwardBackwardRequest');
export const ForwardBackwardOutput = root.lookupType('ForwardBackwardOutput');
export const SampleResponse = root.lookupType('SampleResponse');

const FLOAT32 = 1;
const INT64 = 2;

/** A sequence to train on: what is predicted at each position, and the inputs of the loss there. */
export interface Datum {
  /** [length] the ids that the model reads. */
  readonly tokens: readonly number[];
  /** [length] the ids that it should predict: those it reads, one further. */
  readonly targets: readonly number[];
  /** [length] each. */
  readonly inputs: { readonly [name: string]: Float32Array };
}

/** A request to train, or only to read log probabilities. */
export interface ModelPass {
  readonly data: readonly Datum[];
  readonly loss: string;
  readonly settings: { readonly [name: string]: number };
  readonly forwardOnly: boolean;
}

/** The body of `forward_backward` as protobuf. */
export function encodePass(
  { data, forwardOnly, loss, settings }: ModelPass,
  modelId: string,
  seqId: number,
): Uint8Array {
  return ForwardBackwardRequest.encode({
    ...{ modelId, seqId, forwardOnly },
    lossFn: loss,
    lossFnConfig: settings,
    lossFnConfigV2: Object.fromEntries(Object.entries(settings).map(([name, number]) => [name, { number }])),
    data: data.map(({ inputs, targets, tokens }) => ({
      modelInput: [{ encodedText: { tokens: bytesOf(Int32Array.from(tokens)) } }],
      lossFnInputs: {
        target_tokens: {
          dense: bytesOf(BigInt64Array.from(targets, BigInt)),
          dtype: INT64,
          shape: [targets.length],
        },
        ...Object.fromEntries(
          Object.entries(inputs).map(([name, numbers]) => [
            name,
            { dense: bytesOf(numbers), dtype: FLOAT32, shape: [numbers.length] },
          ]),
        ),
      },
    })),
  }).finish();
}

/** The body of `forward_backward` as JSON, and of `forward`, whose input has another name. */
export function writePass({ data, forwardOnly, loss, settings }: ModelPass, modelId: string, seqId: number): object {
  const tensor = (numbers: ArrayLike<number>, dtype: string) => ({
    ...{ data: Array.from(numbers), dtype },
    shape: [numbers.length],
  });
  const input = {
    data: data.map(({ inputs, targets, tokens }) => ({
      model_input: { chunks: [{ type: 'encoded_text', tokens }] },
      loss_fn_inputs: {
        target_tokens: tensor(targets, 'int64'),
        ...Object.fromEntries(Object.entries(inputs).map(([name, numbers]) => [name, tensor(numbers, 'float32')])),
      },
    })),
    loss_fn: loss,
    ...(Object.keys(settings).length > 0 && { loss_fn_config: settings }),
  };
  return { model_id: modelId, seq_id: seqId, [forwardOnly ? 'forward_input' : 'forward_backward_input']: input };
}

/** More than rounding makes of a probability of 1. */
export const MOST_LOGPROB = 1e-3;
/** vLLM, behind SkyRL, writes -9999 for what cannot be sampled. */
export const LEAST_LOGPROB = -10_000;
export const MOST_ID = 2 ** 31 - 1;

/**
 * Each datum's log probabilities of its targets. A model that diverged has some that are no numbers.
 *
 * @throws Error with what is wrong, as the end of a sentence
 */
export function decodePass(message: Uint8Array): readonly ArrayLike<number>[] {
  const { lossFnOutputs } = decode(ForwardBackwardOutput, message) as {
    readonly lossFnOutputs: readonly { readonly fields: { readonly [name: string]: BatchedTensor } }[];
  };
  const tensor = lossFnOutputs[0]?.fields['logprobs'];
  if (tensor === undefined) throw new Error('no log probabilities');
  if (tensor.dtype !== FLOAT32) throw new Error(`log probabilities of the type ${tensor.dtype}`);
  if (tensor.offsets.length % 8 !== 0) throw new Error('half an offset');
  const offsets = Array.from(new BigInt64Array(copyOf(tensor.offsets)), Number);
  return offsets.slice(1).map((end, index) => {
    const begin = offsets[index] as number;
    if (begin < 0 || end < begin || end > tensor.data.length) throw new Error('offsets that are not in its data');
    return floatsOf(tensor.data.subarray(begin, end));
  });
}

/** The log probabilities of a result that is JSON. */
export function readPass(document: JsonPlace): readonly ArrayLike<number>[] {
  return document
    .member('loss_fn_outputs')
    .items()
    .map((output) => {
      const data = output.member('logprobs').member('data');
      // JSON writes null for what is no number.
      return data.items().map((item) => (item.isAbsent ? Number.NaN : item.number()));
    });
}

interface BatchedTensor {
  readonly data: Uint8Array;
  readonly offsets: Uint8Array;
  readonly dtype: number;
}

export interface SampledSequence {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
}

/** The first sequence of a result of `asample`. @throws Error with what is wrong, as the end of a sentence */
export function decodeSample(message: Uint8Array): SampledSequence {
  const { sequences } = decode(SampleResponse, message) as {
    readonly sequences: readonly { readonly tokens: Uint8Array; readonly logprobs: Uint8Array }[];
  };
  const [sequence] = sequences;
  if (sequence === undefined) throw new Error('no sequence');
  const [tokens, logprobs] = [[...new Int32Array(copyOf(whole(sequence.tokens)))], [...floatsOf(sequence.logprobs)]];
  const wrong = tokens.find((id) => id < 0);
  if (wrong !== undefined) throw new Error(`the token id ${wrong}`);
  const odd = logprobs.find((value) => !(value >= LEAST_LOGPROB && value <= MOST_LOGPROB));
  if (odd !== undefined) throw new Error(`the log probability ${odd}`);
  return { tokens, logprobs };
}

/** The first sequence of a result that is JSON. */
export function readSample(document: JsonPlace): SampledSequence {
  const sequences = document.member('sequences');
  const sequence = sequences.items()[0] ?? sequences.fail('no sequence');
  return {
    tokens: sequence.member('tokens').integers(0, MOST_ID),
    logprobs: sequence.member('logprobs').numbers(LEAST_LOGPROB, MOST_LOGPROB),
  };
}

/** What the library says about a broken message is of no use to anybody. */
function decode(type: protobuf.Type, message: Uint8Array): unknown {
  try {
    return type.decode(message);
  } catch {
    throw new Error('a message that cannot be read');
  }
}

function floatsOf(part: Uint8Array): Float32Array {
  return new Float32Array(copyOf(whole(part)));
}

/** Bytes of numbers of four bytes each. */
function whole(part: Uint8Array): Uint8Array {
  if (part.length % 4 !== 0) throw new Error('half a number');
  return part;
}

function bytesOf({ buffer, byteLength, byteOffset }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A copy, because a message may begin at any byte. */
function copyOf(part: Uint8Array): ArrayBuffer {
  return new Uint8Array(part).buffer;
}
