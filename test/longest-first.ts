import { relative } from 'node:path';

import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take much longer than others, the longest first: if one of them starts late, everything waits for it. */
const LONG = [
  'test/templates/templates.long.test.ts',
  'test/docs/console.test.ts',
  'test/registry/traps.long.test.ts',
  'test/registry/documents.long.test.ts',
  'test/registry/bad-registry.long.test.ts',
  'test/registry/repositories.test.ts',
  'test/kill/kill-and-resume.test.ts',
  'test/kill/kill-ablation.long.test.ts',
  'test/packages/native-runtime.long.test.ts',
];

/** Long files, then files that start processes, then files next to the sources. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const file = relative(project.config.root, moduleId).replaceAll('\\', '/');
      const place = LONG.indexOf(file);
      if (place >= 0) return place;
      return file.startsWith('test/') ? LONG.length : LONG.length + 1;
    };
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right));
  }
}
