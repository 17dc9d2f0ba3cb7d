import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take longer than others by far, the longest first: whoever begins with one late waits for it alone. */
const LONG = [
  'test/templates/templates.test.ts',
  'test/docs/console.test.ts',
  'test/registry/traps.test.ts',
  'test/registry/documents.test.ts',
  'test/registry/bad-registry.test.ts',
  'test/registry/repositories.test.ts',
  'test/kill/kill-and-resume.test.ts',
  'test/kill/kill-ablation.test.ts',
  'test/packages/native-runtime.test.ts',
];

/** Long files, then other files with a process of their own, then those that share one: a shared process ends where another kind of file comes next. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const place = LONG.findIndex((path) => moduleId.replaceAll('\\', '/').endsWith(path));
      if (place >= 0) return place;
      return project.config.isolate ? LONG.length : LONG.length + 1;
    };
    return (await super.sort(files)).sort((left, right) => rank(left) - rank(right));
  }
}
