/** @jsxImportSource preact */

export type DoorState = 'open' | 'notStarted' | 'closed';

const opening = 'M150 250V146a50 50 0 0 1 100 0V250Z';

/** A door in the evening, for rooms without a picture: wide open, ajar or shut, as the room is. */
export function Doorway({ state }: { state: DoorState }) {
  return (
    <svg class={`doorway is-${state}`} viewBox="0 0 400 300" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <defs>
        <linearGradient id="inside" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" class="glow-top" />
          <stop offset="1" class="glow-low" />
        </linearGradient>
        <linearGradient id="spill" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" class="spill-near" />
          <stop offset="1" class="spill-far" />
        </linearGradient>
        <radialGradient id="halo">
          <stop offset="0" class="halo-in" />
          <stop offset="1" class="halo-out" />
        </radialGradient>
        <clipPath id="frame">
          <path d={opening} />
        </clipPath>
      </defs>
      <rect class="wall" x="-400" y="-300" width="1200" height="550" />
      <path class="panel" d="M-400 196H132M268 196H800" />
      <rect class="floor" x="-400" y="250" width="1200" height="60" />
      <circle class="halo" cx="200" cy="170" r="190" />
      <path class="frame" d="M136 250V146a64 64 0 0 1 128 0V250Z" />
      <path class="inside" d={opening} />
      <g clip-path="url(#frame)">
        {state === 'open' && <path class="leaf" d="M150 60V262L172 246V60Z" />}
        {state === 'notStarted' && (
          <>
            <path class="leaf" d="M150 60V262L228 252V60Z" />
            <circle class="knob" cx="220" cy="190" r="3.6" />
          </>
        )}
        {state === 'closed' && (
          <>
            <path class="leaf" d="M150 128H250V250H150Z" />
            <path class="moulding" d="M163 144h30v38h-30zM207 144h30v38h-30zM163 194h30v44h-30zM207 194h30v44h-30z" />
            <path class="bar" d="M150 128H250M183 96V128M217 96V128" />
            <circle class="knob" cx="200" cy="188" r="3.8" />
          </>
        )}
      </g>
      {state === 'open' && <path class="spill" d="M150 250H250L306 310H94Z" />}
      {state === 'notStarted' && <path class="spill" d="M229 250H250L280 310H228Z" />}
      <rect class="step" x="126" y="247" width="148" height="7" rx="2" />
      <circle class="halo lamp-halo" cx="104" cy="140" r="46" />
      <path class="iron" d="M104 116v10M96 126h16l-2 28h-12z" />
      <path class="flame" d="M99 130h10l-1.400 20h-7.200z" />
      <g class="plant">
        <path
          class="leaves"
          d="M306 226c-26-8-30-34-24-48 14 8 24 26 24 48ZM306 226c-4-30 6-58 20-66 10 20 0 50-20 66ZM306 226c4-20 22-34 40-34 0 18-18 32-40 34Z"
        />
        <path class="pot" d="M288 224h36l-5 30h-26z" />
      </g>
    </svg>
  );
}
