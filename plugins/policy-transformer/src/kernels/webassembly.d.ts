/** What is used here of a global that Node has, but that only TypeScript's library for browsers declares. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
  }
  class Memory {
    constructor(options: { readonly initial: number });
    readonly buffer: ArrayBuffer;
    /** By so many pages of 64 KiB; buffers taken before are detached. */
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: object);
    readonly exports: object;
  }
}
