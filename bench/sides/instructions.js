// Instructions of this machine's processor that matrix products use.
import { existsSync, readFileSync } from 'node:fs';

/** By their flags in Linux. A maker's processors of one name differ in them. */
const INSTRUCTIONS = [
  ['avx512f', 'AVX-512'],
  ['avx512_bf16', 'AVX-512 for bfloat16'],
  ['amx_tile', 'AMX'],
];

/** Their names. Empty where the machine does not tell. */
export function instructions() {
  const flags = flagsOf();
  return INSTRUCTIONS.filter(([flag]) => flags?.has(flag)).map(([, instruction]) => instruction);
}

/**
 * Types in which PyTorch is measured on this processor. Without instructions for bfloat16 it computes with float32 and rounds:
 * a training step took 24 times as long as in float32 (AMD EPYC with AVX2). Where the machine does not tell, both.
 */
export function peerTypes() {
  const flags = flagsOf();
  const hasBfloat16 = flags === undefined || ['avx512_bf16', 'amx_bf16'].some((flag) => flags.has(flag));
  if (!hasBfloat16) console.log('bfloat16 is left out: this processor has no instructions for it.');
  return hasBfloat16 ? ['float32', 'bfloat16'] : ['float32'];
}

function flagsOf() {
  if (!existsSync('/proc/cpuinfo')) return undefined;
  const line = /^flags\s*:(.*)$/mu.exec(readFileSync('/proc/cpuinfo', 'utf8'));
  return line === null ? undefined : new Set(line[1].trim().split(' '));
}
