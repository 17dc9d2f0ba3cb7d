import type { OptionFinding } from '@agentgym/cli';

import { sectionTags } from './sections.js';
import type { CodeBlockOptions, FunctionCallingOptions, TagsOptions } from './options.js';

/** Finds tag names that cannot be told from text or from the tags of thoughts. */
export function checkTag({ tag }: TagsOptions): OptionFinding[] {
  if (!/^[a-zA-Z][\w-]*$/u.test(tag)) {
    return [finding('tag', 'is not a name of a tag', 'Use letters, digits, - and _, such as `action` or `answer`.')];
  }
  if (!Object.values(sectionTags).includes(tag)) return [];
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
  if (/^[^\s`]*$/u.test(language)) return [];
  return [finding('language', 'has white space or backticks', 'Use one word, such as `python`, or an empty text.')];
}

function finding(option: string, message: string, hint: string): OptionFinding {
  return { path: [option], message: `\`${option}\` ${message}`, hint };
}
