/** Members that every requirement has. */
interface RequirementCommon {
  /** Under this name the environment finds it in `host.found`. Unique among its requirements. */
  readonly name: string;
  /** What it is, for people: `Java 11 or later`. */
  readonly title: string;
  /** How to get it: one sentence, such as a command. */
  readonly get: string;
}

/** A program on this machine, such as Java or a browser. */
export interface ProgramRequirement extends RequirementCommon {
  readonly kind: 'program';
  /** Its names on the PATH; the first that is there counts. */
  readonly programs: readonly string[];
  /** An environment variable that names its file, which counts more than the PATH. Absent: none. */
  readonly variable?: string;
  /** How it tells its version, and which versions will do, as a range of npm. Absent: any version will do. */
  readonly version?: { readonly arguments: readonly string[]; readonly range: string };
}

/** A Python with packages: `python3` or `python` on the PATH, or the file that AGENTGYM_PYTHON names. */
export interface PythonRequirement extends RequirementCommon {
  readonly kind: 'python';
  /** The file of the interpreter, which counts more than both. Absent: none is named. */
  readonly interpreter?: string;
  /** Range of versions of Python. Absent: any. */
  readonly version?: string;
  /** Packages by name, each with a range of versions as npm writes them; `*` is any. */
  readonly packages?: { readonly [name: string]: string };
}

/** A file of data, or a jar. */
export interface FileRequirement extends RequirementCommon {
  readonly kind: 'file';
  /** Its path; a relative one is below the working folder. */
  readonly path: string;
  /** The SHA-256 that it must have, in hexadecimal digits. Absent: any. */
  readonly sha256?: string;
}

/** Something that an environment needs besides npm packages. */
export type Requirement = ProgramRequirement | PythonRequirement | FileRequirement;

/** A requirement that is there. */
export interface FoundRequirement {
  readonly name: string;
  /** Absolute path of the program or file, without symbolic links. */
  readonly path: string;
  /** The version that it tells. Absent: it was not asked. */
  readonly version?: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** The packages of a Python. */
  readonly packages?: { readonly [name: string]: PythonPackage };
}

/** A package of a Python. */
export interface PythonPackage {
  readonly version: string;
  /** SHA-256 of the list of its files and their hashes (`RECORD`). Absent: it was installed without one. */
  readonly sha256?: string;
}

/** Something that a world was made of and that is not in its package, such as a data file. */
export interface Material {
  /** Unique in its world: the name of the file, for example. */
  readonly name: string;
  /** SHA-256 of its content, in hexadecimal digits. */
  readonly sha256: string;
  readonly version?: string;
}
