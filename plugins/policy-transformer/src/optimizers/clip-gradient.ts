/** Global L2 norm over all gradients, summed in float64 in the order of the map. */
export function gradientNorm(gradients: ReadonlyMap<string, Float32Array>): number {
  let sum = 0;
  for (const gradient of gradients.values()) {
    for (let i = 0; i < gradient.length; i += 1) sum += gradient[i]! * gradient[i]!;
  }
  return Math.sqrt(sum);
}

/**
 * The factor that clips the gradient to `clipNorm`: clipNorm / (norm + 1e-6), at most 1, as in torch's
 * `clip_grad_norm_`.
 */
export function clipFactor(norm: number, clipNorm: number | undefined): number {
  return clipNorm === undefined ? 1 : Math.min(1, clipNorm / (norm + 1e-6));
}
