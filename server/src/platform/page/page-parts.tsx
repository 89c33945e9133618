/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { DoorIllustration, type RoomPageState } from './door-illustration.tsx';

/** A picture and a card; without an image of its own, the picture is a door. */
export function Front(props: {
  readonly image?: string | null;
  readonly state: RoomPageState;
  readonly children: ComponentChildren;
}) {
  const { image = null, state, children } = props;
  return (
    <div class="front">
      <div class="hero">{image === null ? <DoorIllustration state={state} /> : <img src={image} alt="" />}</div>
      <div class="card">{children}</div>
    </div>
  );
}

export function State({ state, label }: { readonly state: RoomPageState | 'invited'; readonly label: string }) {
  return <p class={`state is-${state}`}>{label}</p>;
}

/** An error that does not belong to a field. */
export function Alert({ sentence }: { readonly sentence: string | null }) {
  if (sentence === null) return null;
  return (
    <p class="alert" role="alert">
      {sentence}
    </p>
  );
}

export interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly error: string | null;
  readonly value: string;
  readonly autocomplete: string;
  readonly maxLength: number;
  readonly isPassword?: boolean;
  readonly isEmail?: boolean;
  readonly isCode?: boolean;
}

export function Field({
  id,
  label,
  hint,
  error,
  value,
  autocomplete,
  maxLength,
  isPassword = false,
  isEmail = false,
  isCode = false,
}: FieldProps) {
  const descriptionIds = [error === null ? null : `${id}-error`, hint === undefined ? null : `${id}-hint`];
  const describedBy = descriptionIds.filter((elementId) => elementId !== null).join(' ');
  const attributes = {
    id,
    name: id,
    value,
    required: true,
    maxLength,
    autocomplete,
    autoFocus: error !== null,
    'aria-invalid': error === null ? undefined : ('true' as const),
    'aria-describedby': describedBy === '' ? undefined : describedBy,
    ...(isCode ? { class: 'code', autocapitalize: 'characters' as const, spellcheck: false } : {}),
  };
  return (
    <div class={error === null ? 'field' : 'field is-wrong'}>
      <label for={id}>{label}</label>
      {isPassword ? (
        <input type="password" {...attributes} />
      ) : isEmail ? (
        <input type="email" {...attributes} />
      ) : (
        <input {...attributes} />
      )}
      {error !== null && (
        <p class="error" id={`${id}-error`}>
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** With a hint it asks for a new password, else for the current one. */
export function PasswordField(props: Pick<FieldProps, 'label' | 'hint' | 'error'>) {
  const autocomplete = props.hint === undefined ? 'current-password' : 'new-password';
  return <Field id="password" isPassword value="" autocomplete={autocomplete} maxLength={512} {...props} />;
}
