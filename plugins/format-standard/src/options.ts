import type { OptionFinding, OptionsDeclaration, OptionsOf } from '@agentgym/cli';

/** What a policy writes before its action. */
const thought = {
  type: 'choice',
  choices: ['none', 'free', 'think', 'plan', 'reflect', 'plan-and-reflect'],
  description:
    'What comes before the action: nothing is asked for, a thought is allowed, or a thought, a plan, a reflection or both are required',
} as const;

const common = {
  onMalformed: {
    type: 'choice',
    choices: ['invalid', 'explain', 'silent'],
    default: 'invalid',
    description:
      'What the agent sees after a malformed text: the word `invalid`, the cause and the fix, or an empty text',
  },
  maxCharacters: {
    type: 'integer',
    minimum: 1,
    default: 4096,
    description: 'A longer action is malformed and never reaches the environment',
  },
} as const;

const bare = { thought: { ...thought, default: 'none' }, ...common } as const satisfies OptionsDeclaration;
const thoughtful = { thought: { ...thought, default: 'free' }, ...common } as const satisfies OptionsDeclaration;

export const plainOptions = bare;
export const jsonOptions = bare;
export const boxedOptions = thoughtful;
export const reactOptions = thoughtful;

export const tagsOptions = {
  tag: { type: 'string', default: 'action', description: 'Name of the tag around the action' },
  ...thoughtful,
} as const satisfies OptionsDeclaration;

export const codeBlockOptions = {
  language: { type: 'string', default: '', description: 'Word after the opening fence in demonstrations' },
  ...bare,
} as const satisfies OptionsDeclaration;

export const functionCallingOptions = {
  functionName: { type: 'string', default: 'act', description: 'Name of the function that takes the action' },
  ...bare,
} as const satisfies OptionsDeclaration;

/** The options that all formats have. */
export type FormatOptions = OptionsOf<typeof bare>;
export type TagsOptions = OptionsOf<typeof tagsOptions>;
export type CodeBlockOptions = OptionsOf<typeof codeBlockOptions>;
export type FunctionCallingOptions = OptionsOf<typeof functionCallingOptions>;

/** The tags of sections before the action, in the format of tags. */
export const sectionTags = { thought: 'think', reflection: 'reflect', plan: 'plan' } as const;

/** Finds tag names that cannot be told from text or from the tags of thoughts. */
export function checkTag({ tag }: TagsOptions): OptionFinding[] {
  if (!/^[a-zA-Z][\w-]{0,63}$/u.test(tag)) {
    return [
      finding(
        'tag',
        'is not a name of a tag',
        'Use at most 64 letters, digits, - and _, such as `action` or `answer`.',
      ),
    ];
  }
  if (!Object.values<string>(sectionTags).includes(tag)) return [];
  return [finding('tag', 'is the tag of a thought', 'Use another name, such as `action` or `answer`.')];
}

/** Finds names that providers of models do not accept as functions. */
export function checkFunctionName({ functionName }: FunctionCallingOptions): OptionFinding[] {
  if (/^[a-zA-Z_][\w-]{0,63}$/u.test(functionName)) return [];
  return [
    finding('functionName', 'is not a name of a function', 'Use at most 64 letters, digits, - and _, such as `act`.'),
  ];
}

/** Finds words that cannot stand after a fence. */
export function checkLanguage({ language }: CodeBlockOptions): OptionFinding[] {
  if (/^[^\s`]{0,63}$/u.test(language)) return [];
  return [finding('language', 'is not one short word', 'Use one word, such as `python`, or an empty text.')];
}

function finding(option: string, message: string, hint: string): OptionFinding {
  return { path: [option], message: `\`${option}\` ${message}`, hint };
}
