// Writes the types that plugins compile against: `npm run api` writes test/api/, and a test compares it. A review sees
// every change of a contract.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const repository = fileURLToPath(new URL('../', import.meta.url));

/** File in test/api/ -> the declarations of that entry point of @agentgym/cli. */
export const API_REPORTS = {
  'cli.api.md': 'dist/index.d.ts',
  'cli-testing.api.md': 'dist/testing/index.d.ts',
} as const;

/** The report of one entry point. Reads the output of `npm run compile`. Throws if a declaration cannot be read. */
export function apiReport(name: keyof typeof API_REPORTS): string {
  return extract(API_REPORTS[name], name);
}

/** All declarations of the entry point `.`, in one file without imports from this repository. */
export function rolledUpTypes(): string {
  return extract(API_REPORTS['cli.api.md'], 'types.d.ts');
}

function extract(entry: string, file: string): string {
  if (!existsSync(join(repository, entry))) throw new Error(`${entry} is missing: run \`npm run compile\` first`);
  const folder = mkdtempSync(join(tmpdir(), 'agentgym-api-'));
  try {
    const none = { logLevel: ExtractorLogLevel.None };
    const rollup = file.endsWith('.d.ts');
    const configuration = ExtractorConfig.prepare({
      packageJsonFullPath: join(repository, 'package.json'),
      configObjectFullPath: undefined,
      configObject: {
        projectFolder: repository,
        mainEntryPointFilePath: join(repository, entry),
        compiler: { tsconfigFilePath: join(repository, 'tsconfig.build.json') },
        apiReport: rollup
          ? { enabled: false, reportFileName: 'none.api.md' }
          : {
              enabled: true,
              includeForgottenExports: true,
              reportFileName: file,
              reportFolder: folder,
              reportTempFolder: join(folder, 'temporary'),
            },
        docModel: { enabled: false },
        dtsRollup: { enabled: rollup, ...(rollup ? { untrimmedFilePath: join(folder, file) } : {}) },
        tsdocMetadata: { enabled: false },
        messages: {
          extractorMessageReporting: {
            'ae-missing-release-tag': none,
            'ae-forgotten-export': none,
          },
          tsdocMessageReporting: { default: none },
        },
      },
    });
    mkdirSync(join(folder, 'temporary'), { recursive: true });
    const errors: string[] = [];
    Extractor.invoke(configuration, {
      localBuild: true,
      messageCallback: (message) => {
        message.handled = true;
        if (message.logLevel === ExtractorLogLevel.Error) errors.push(message.formatMessageWithLocation(repository));
      },
    });
    if (errors.length > 0) throw new Error(errors.join('\n'));
    return readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
