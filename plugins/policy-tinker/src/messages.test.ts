import { expect, it } from 'vitest';

import { decodePass, decodeSample, encodePass, ForwardBackwardRequest } from './messages.js';

/** Written by the SDK's own classes (tinker 0.25.0, tinker.proto.tinker_public_pb2, SerializeToString(deterministic=True)). */
const recorded = {
  request:
    'Cgdtb2RlbF8xEAcaZwoQCg4KDAUAAAAsAQAAcBEBABIhCgphZHZhbnRhZ2VzEhMKDAAAAAAAAAA/AACgvxgBIgEDEjAKDXRhcmdldF90b2tlbnMSHwoYLAEAAAAAAABwEQEAAAAAAAIAAAAAAAAAGAIiAQMiA3BwbyodChJjbGlwX2xvd190aHJlc2hvbGQRmpmZmZmZ6T8=',
  result: 'CgZzY2FsYXISOhI2Cghsb2dwcm9icxIqCgwAAAC/AADAvwAAEMASGAAAAAAAAAAACAAAAAAAAAAMAAAAAAAAABgBGAI=',
  sample: 'ChYIARIICQAAAHERAQAaCAAAgL4AAEDA',
};
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));

it('reads what the SDK writes', () => {
  expect(decodePass(bytes(recorded.result)).map((row) => [...Array.from(row)])).toEqual([[-0.5, -1.5], [-2.25]]);
  expect(decodeSample(bytes(recorded.sample))).toEqual({ tokens: [9, 70001], logprobs: [-0.25, -3] });
});

it('writes a request as the SDK does, with the settings of the loss in its newer form too', () => {
  const written = encodePass(
    {
      data: [
        { tokens: [5, 300, 70000], targets: [300, 70000, 2], inputs: { advantages: Float32Array.of(0, 0.5, -1.25) } },
      ],
      ...{ loss: 'ppo', settings: { clip_low_threshold: 0.8 }, forwardOnly: false },
    },
    'model_1',
    7,
  );
  const { lossFnConfigV2, ...ours } = ForwardBackwardRequest.decode(written).toJSON();
  expect(ours).toEqual(ForwardBackwardRequest.decode(bytes(recorded.request)).toJSON());
  expect(lossFnConfigV2).toEqual({ clip_low_threshold: { number: 0.8 } });
});

it('refuses results without log probabilities', () => {
  expect(() => decodePass(new Uint8Array())).toThrow('no log probabilities');
  expect(() => decodeSample(new Uint8Array())).toThrow('no sequence');
});
