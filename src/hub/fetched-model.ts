import { AgentgymError } from '../errors/agentgym-error.js';
import { shellWord } from '../errors/shell-word.js';
import { isSourceName } from './model-source.js';
import { findPulledModel, isModelName } from './pulled-model.js';
import { findStoredModel } from './stored-models.js';

/** Whether a text is the name of a model that `agentgym pull` can fetch. ORG/NAME may be a path, too. */
export function isFetchedName(text: string): boolean {
  return isSourceName(text) || isModelName(text);
}

/** The folder or the GGUF file of a model that was pulled, by its name; undefined if it was not. */
export function findFetchedModel(cacheDirectory: string, name: string): string | undefined {
  if (isSourceName(name)) return findStoredModel(cacheDirectory, name);
  return isModelName(name) ? findPulledModel(cacheDirectory, name) : undefined;
}

/** The error for a name that can only be that of a model that was not pulled. */
export function notPulled(name: string): AgentgymError {
  return new AgentgymError('AG_MODEL_UNUSABLE', {
    message: `The model ${name} was not pulled.`,
    hint: `Fetch it: \`agentgym pull ${shellWord(name)}\`.`,
  });
}
