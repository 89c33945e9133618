import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';

/**
 * Wraps a searchable list. After typing, Enter selects the highlighted match, or else the first, and does not submit
 * the form. If the options are not loaded yet, it waits for them, so that no option of an older search is selected.
 */
export function SelectOnEnter(props: { readonly isSearching?: boolean; readonly children: ReactNode }) {
  const { isSearching = false, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  const isTyped = useRef(false);
  const [isWaiting, setWaiting] = useState(false);

  useEffect(() => {
    if (!isWaiting || isSearching) return;
    return everyFrame((framesLeft) => {
      const option = matchIn(frame.current);
      option?.click();
      if (option === null && framesLeft > 0) return true;
      isTyped.current = false;
      setWaiting(false);
      return false;
    });
  }, [isWaiting, isSearching]);

  function take(event: KeyboardEvent<HTMLDivElement>): void {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !isTyped.current) return;
    if (!(event.target instanceof HTMLInputElement) || event.target.value.trim() === '') return;
    event.preventDefault();
    event.stopPropagation();
    setWaiting(true);
  }

  return (
    <div
      ref={frame}
      onKeyDownCapture={take}
      onInputCapture={() => {
        isTyped.current = true;
        setWaiting(false);
      }}
      onBlurCapture={() => {
        isTyped.current = false;
      }}
    >
      {children}
    </div>
  );
}

const maxFrames = 30;

/** @param act returns whether to continue @returns a function that stops it */
function everyFrame(act: (framesLeft: number) => boolean): () => void {
  let left = maxFrames;
  let request = requestAnimationFrame(function next() {
    left -= 1;
    if (act(left)) request = requestAnimationFrame(next);
  });
  return () => cancelAnimationFrame(request);
}

function matchIn(frame: HTMLElement | null): HTMLElement | null {
  const listId = frame?.querySelector('[aria-controls]')?.getAttribute('aria-controls');
  const list = listId ? document.getElementById(listId) : null;
  return (
    list?.querySelector<HTMLElement>('[role="option"][data-combobox-selected]') ??
    list?.querySelector<HTMLElement>('[role="option"]:not([data-combobox-disabled])') ??
    null
  );
}
