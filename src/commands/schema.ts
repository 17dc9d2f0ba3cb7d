import { basename, resolve } from 'node:path';

import { Flags } from '@oclif/core';

import { BaseCommand } from '../cli/base-command.js';

/** `agentgym schema` */
export default class Schema extends BaseCommand {
  static override summary = 'Print the JSON Schema of recipes for an editor, including all plugins';
  static override description =
    'With it an editor completes and checks recipes, including the options of installed plugins and of the current project. Name the file in the ' +
    'first line of a recipe: `# yaml-language-server: $schema=recipe.schema.json`. Write it again when plugins change.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> --output recipe.schema.json',
    '<%= config.bin %> <%= command.id %> > recipe.schema.json',
  ];
  static override flags = {
    output: Flags.string({
      helpValue: 'FILE',
      description: 'File to write; an existing file is overwritten; default: standard output',
    }),
  };

  async run() {
    const { flags } = await this.parse(Schema);
    const { recipeJsonSchema } = await import('../config/recipe-json-schema.js');
    const { allContributions } = await import('../plugins/open-plugin-host.js');
    const { writeDocument } = await import('../runs/write-document.js');
    const host = await this.openPluginHost();
    const located = await allContributions(host);
    const schema = await recipeJsonSchema(located.map(({ contribution }) => contribution));
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    if (flags.output === undefined) {
      this.say(text.trimEnd());
      return { schema };
    }
    const file = resolve(flags.output);
    await writeDocument(file, text, 'the schema');
    this.say(`Wrote ${file}. A recipe beside it begins with:\n# yaml-language-server: $schema=./${basename(file)}`);
    return { file };
  }
}
