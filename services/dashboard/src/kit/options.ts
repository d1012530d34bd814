export function valuesOf<Value extends string>(options: readonly { value: Value }[]): Value[] {
  return options.map(({ value }) => value);
}

export function labelOf<Value extends string>(
  options: readonly { value: Value; label: string }[],
  value: Value,
): string {
  return options.find((option) => option.value === value)?.label ?? value;
}
