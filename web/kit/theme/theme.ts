import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const pine: MantineColorsTuple = [
  '#edf6f3',
  '#d8eae4',
  '#b0d5ca',
  '#84bfaf',
  '#5ea997',
  '#43937f',
  '#2f7f6c',
  '#1f6b5c',
  '#175649',
  '#0f4238',
];

const stone: MantineColorsTuple = [
  '#faf9f7',
  '#f4f2ef',
  '#e9e6e1',
  '#dcd8d1',
  '#c6c1b8',
  '#989289',
  '#6b655d',
  '#514c45',
  '#37332e',
  '#211e1b',
];

const night: MantineColorsTuple = [
  '#d9d6d1',
  '#bbb7b1',
  '#9b968f',
  '#716d67',
  '#403d39',
  '#34312e',
  '#272522',
  '#1c1a18',
  '#151412',
  '#0e0d0c',
];

const brick: MantineColorsTuple = [
  '#fdf1ef',
  '#fbe3df',
  '#f5c7c0',
  '#eda598',
  '#e58575',
  '#d76353',
  '#c84b3b',
  '#b3382a',
  '#942c20',
  '#742218',
];

const sans =
  "system-ui, -apple-system, 'Segoe UI Variable Text', 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', sans-serif";

/**
 * The list of options scrolls without Mantine's scroll area, which the keyboard cannot reach. Enter selects the first
 * match, and focusing a field does not open its list.
 */
const searchList = {
  selectFirstOptionOnChange: true,
  openOnFocus: false,
  withScrollArea: false,
  styles: { options: { maxHeight: 220, overflowY: 'auto' } },
} as const;

export const theme = createTheme({
  colors: { pine, gray: stone, dark: night, red: brick },
  primaryColor: 'pine',
  primaryShade: { light: 7, dark: 6 },
  black: '#211e1b',
  defaultRadius: 'md',
  radius: { xs: '3px', sm: '5px', md: '7px', lg: '11px', xl: '18px' },
  fontFamily: sans,
  fontFamilyMonospace: "ui-monospace, 'SF Mono', SFMono-Regular, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.35', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.45' },
  headings: {
    fontFamily: sans,
    fontWeight: '620',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.25' },
      h2: { fontSize: '0.9375rem', lineHeight: '1.4' },
      h3: { fontSize: '0.875rem', lineHeight: '1.45' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Mantine’s focus placeholder has no role, which is not allowed in a menu. Without it, the first item gets the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: searchList },
    MultiSelect: { defaultProps: searchList },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, fz: 'xs' } },
    Table: { defaultProps: { verticalSpacing: 9, horizontalSpacing: 'md' } },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.35, blur: 2 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
      styles: {
        title: { fontSize: 'var(--mantine-font-size-lg)', fontWeight: 620, lineHeight: 1.5, overflowWrap: 'anywhere' },
      },
    },
    Drawer: { defaultProps: { overlayProps: { backgroundOpacity: 0.28 } } },
    Badge: { defaultProps: { radius: 'sm' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close this message' } } },
  },
});

/** The background of the page is slightly darker than its panels, in both color schemes. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--foyer-page': '#f8f6f3',
    '--foyer-line': '#e7e3dd',
    '--foyer-hover': '#f6f4f0',
    '--mantine-color-dimmed': '#6b655d',
    '--mantine-color-placeholder': '#746d65',
    '--mantine-color-default-border': '#d6d1c9',
    '--mantine-color-error': '#b3382a',
    // Text on tinted badges has a contrast of at least 4.5.
    '--mantine-color-teal-light-color': '#065f46',
    '--mantine-color-gray-light-color': '#514c45',
    '--mantine-color-orange-light-color': '#8a3a06',
    '--mantine-color-yellow-light-color': '#735000',
    '--mantine-color-red-light-color': '#a11616',
    '--mantine-color-blue-light-color': '#14508c',
    '--mantine-color-pine-light-color': '#175649',
  },
  dark: {
    '--mantine-color-body': '#1f1d1b',
    '--foyer-page': '#171614',
    '--foyer-line': '#34312e',
    '--foyer-hover': '#272522',
    '--mantine-color-dimmed': '#a39e97',
    '--mantine-color-placeholder': '#7d7871',
    '--mantine-color-default-border': '#45413d',
    '--mantine-color-anchor': '#7cc0ae',
    '--mantine-color-error': '#eda598',
    '--mantine-color-pine-light': 'rgb(94 169 151 / 17%)',
    '--mantine-color-pine-light-hover': 'rgb(94 169 151 / 23%)',
    '--mantine-color-pine-light-color': '#93d3c2',
    '--mantine-color-yellow-light': 'rgb(222 168 60 / 15%)',
    '--mantine-color-yellow-light-hover': 'rgb(222 168 60 / 21%)',
    '--mantine-color-yellow-light-color': '#ecc778',
    '--mantine-color-red-light': 'rgb(215 99 83 / 16%)',
    '--mantine-color-red-light-hover': 'rgb(215 99 83 / 22%)',
    '--mantine-color-red-light-color': '#f3b0a4',
    '--mantine-color-orange-light': 'rgb(226 132 66 / 16%)',
    '--mantine-color-orange-light-hover': 'rgb(226 132 66 / 22%)',
    '--mantine-color-orange-light-color': '#f2b183',
    '--mantine-color-blue-light': 'rgb(96 156 224 / 16%)',
    '--mantine-color-blue-light-hover': 'rgb(96 156 224 / 22%)',
    '--mantine-color-blue-light-color': '#a3cbf5',
    '--mantine-color-gray-light': 'rgb(152 146 137 / 17%)',
    '--mantine-color-gray-light-hover': 'rgb(152 146 137 / 23%)',
    '--mantine-color-gray-light-color': '#c6c1b8',
  },
});
