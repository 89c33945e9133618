/** The logo: an open door. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-pine-7)" />
      <path d="M9 25V14a7 7 0 0 1 14 0v11" fill="none" stroke="#fff" strokeWidth="2.4" strokeLinecap="round" />
      <path d="M13 25V14.6a3.4 3.4 0 0 1 6-2.1V25z" fill="#fff" />
    </svg>
  );
}
