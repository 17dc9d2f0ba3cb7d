import { input, select } from '@inquirer/prompts';
import { ListrInquirerPromptAdapter } from '@listr2/prompt-adapter-inquirer';
import { Listr } from 'listr2';

import { AgentgymError } from '../errors/agentgym-error.js';
import { isInterruptedPrompt } from '../errors/is-interrupted-prompt.js';

/** The questions; each is asked only if its answer was not given. */
export interface Questions {
  readonly templates: readonly { readonly name: string; readonly summary: string }[];
  readonly template: string | undefined;
  readonly name: string | undefined;
  /** The default answer for a template. */
  readonly suggestName: (template: string) => string;
  /** What is wrong with a name; undefined if it is valid. */
  readonly complaint: (name: string, template: string) => string | undefined;
}

export interface Answers {
  readonly template: string;
  readonly name: string;
}

/**
 * Asks on the terminal.
 *
 * @throws AgentgymError AG_INTERRUPTED on Ctrl-C and if the signal is aborted
 */
export async function ask(questions: Questions, signal: AbortSignal): Promise<Answers> {
  const { templates, suggestName, complaint } = questions;
  const answers: { template?: string; name?: string } = {
    ...(questions.template !== undefined && { template: questions.template }),
    ...(questions.name !== undefined && { name: questions.name }),
  };
  const list = new Listr(
    [
      {
        title: 'Template',
        skip: () => answers.template !== undefined,
        task: async (_, task) => {
          const choices = templates.map(({ name, summary }) => ({ value: name, name: `${name}: ${summary}` }));
          answers.template = await task
            .prompt(ListrInquirerPromptAdapter)
            .run(select<string>, { message: 'What do you want to create?', choices }, { signal });
          task.title = `Template: ${answers.template}`;
        },
      },
      {
        title: 'Name',
        skip: () => answers.name !== undefined,
        task: async (_, task) => {
          const template = answers.template as string;
          const validate = (name: string) => complaint(name, template) ?? true;
          const question = { message: 'What is its name?', default: suggestName(template), validate };
          answers.name = await task.prompt(ListrInquirerPromptAdapter).run(input, question, { signal });
          task.title = `Name: ${answers.name}`;
        },
      },
    ],
    // By default listr2 ends the process with its own exit code.
    { registerSignalListeners: false, rendererOptions: { showErrorMessage: false } },
  );
  try {
    await list.run();
  } catch (error) {
    if (!isInterruptedPrompt(error)) throw error;
    throw new AgentgymError('AG_INTERRUPTED', {
      message: 'interrupted at a question; nothing was written',
      hint: 'Start again with `agentgym init`; `--yes` skips all questions.',
    });
  }
  return answers as Answers;
}
