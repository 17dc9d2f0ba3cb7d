/** Replaces characters that would reverse or hide the text around them by signs; line breaks and tabs stay. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
    const code = sign.charCodeAt(0);
    if (sign === '\n' || sign === '\t') return sign;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd';
  });
}
