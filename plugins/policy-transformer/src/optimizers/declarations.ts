import type { OptimizerDeclaration, OptionDeclaration, OptionFinding } from '@agentgym/cli';

const amount = (value: number, description: string): OptionDeclaration => ({
  ...{ type: 'number', minimum: 0, default: value, description },
});
const decay = (value: number, description: string): OptionDeclaration => ({
  ...{ type: 'number', minimum: 0, maximum: 1, default: value, description: `${description}; below 1` },
});

const weightDecay = amount(0, 'Decoupled weight decay');
const epsilon = amount(1e-8, 'Added to the root of the second moment');
const beta1 = decay(0.9, 'Decay of the first moment');
const stateDtype: OptionDeclaration = {
  type: 'choice',
  choices: ['float32', 'bfloat16'],
  default: 'float32',
  description: 'Type in which moments are kept; `bfloat16` halves their memory and rounds them at random',
};

const decays = ['beta1', 'beta2', 'momentum'];

/** A decay of 1 would never forget. */
function refuseNoDecay(options: { readonly [name: string]: unknown }): OptionFinding[] {
  return decays.flatMap((name) =>
    options[name] === 1
      ? [{ path: [name], message: `\`${name}\` is 1, not below 1`, hint: 'Write a smaller number.' }]
      : [],
  );
}

/** The optimizers, with their constants. */
export const optimizers: readonly OptimizerDeclaration[] = [
  {
    name: 'adamw',
    summary: 'AdamW on all parameters',
    options: { beta1, beta2: decay(0.999, 'Decay of the second moment'), epsilon, weightDecay, stateDtype },
    validate: refuseNoDecay,
  },
  {
    name: 'muon',
    summary: 'Muon on hidden matrices, and AdamW on everything else',
    options: {
      momentum: decay(0.95, 'Momentum of the hidden matrices'),
      beta1,
      beta2: decay(0.95, 'Decay of the second moment'),
      ...{ epsilon, weightDecay, stateDtype },
    },
    validate: refuseNoDecay,
  },
  {
    name: 'sgd',
    summary: 'Gradient descent; without momentum it keeps no moments',
    options: { momentum: decay(0, 'Momentum'), weightDecay, stateDtype },
    validate: (options) => [
      ...refuseNoDecay(options),
      ...(options['momentum'] === 0
        ? [{ path: ['stateDtype'], message: 'it has no effect with no momentum', hint: 'Remove it.', idle: true }]
        : []),
    ],
  },
];
