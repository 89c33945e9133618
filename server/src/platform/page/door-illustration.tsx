/** @jsxImportSource preact */

export type RoomPageState = 'open' | 'notStarted' | 'closed';

const opening = 'M150 250V146a50 50 0 0 1 100 0V250Z';

/** A door in the evening, for rooms without a picture: wide open, ajar or shut, as the room is. */
export function DoorIllustration({ state }: { state: RoomPageState }) {
  return (
    <svg
      class={`illustration is-${state}`}
      viewBox="0 0 400 300"
      preserveAspectRatio="xMidYMax slice"
      aria-hidden="true"
    >
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
      <rect class="floor" x="-400" y="250" width="1200" height="400" />
      <circle class="halo" cx="200" cy="170" r="190" />
      <path class="frame" d="M136 250V146a64 64 0 0 1 128 0V250Z" />
      <path class="inside" d={opening} />
      <g clip-path="url(#frame)">
        {state === 'open' && <path class="leaf" d="M140 60V266L172 247V60Z" />}
        {state === 'notStarted' && (
          <>
            <path class="leaf" d="M140 60V264L229 251V60Z" />
            <path
              class="moulding"
              d="M164 132l20-8v62l-20 2zM194 121l18-7v68l-18 2zM164 200l20-2v40l-20 3zM194 197l18-2v39l-18 2z"
            />
            <circle class="knob" cx="221" cy="192" r="3.4" />
          </>
        )}
        {state === 'closed' && (
          <>
            <path class="leaf" d="M140 128H260V254H140Z" />
            <path class="moulding" d="M163 144h30v38h-30zM207 144h30v38h-30zM163 194h30v44h-30zM207 194h30v44h-30z" />
            <path class="bar" d="M150 128H250M183 96V128M217 96V128" />
            <circle class="knob" cx="200" cy="188" r="3.8" />
          </>
        )}
      </g>
      {state === 'open' && <path class="spill" d="M150 250H250L306 310H94Z" />}
      {state === 'notStarted' && <path class="spill" d="M229 250H250L280 310H228Z" />}
      <rect class="step" x="126" y="247" width="148" height="7" rx="2" />
      <circle class="halo lamp-halo" cx="114" cy="142" r="44" />
      <path class="iron" d="M114 120v10M107 130h14l-2 24h-10z" />
      <path class="flame" d="M109.500 133.500h9l-1.200 17h-6.600z" />
      <g class="plant">
        <path
          class="leaves"
          d="M284 246c-22-6-27-27-22-40 13 6 22 22 22 40ZM284 246c-4-26 4-50 16-57 9 17 1 43-16 57ZM284 246c3-17 18-29 33-29 0 15-15 27-33 29Z"
        />
        <path class="pot" d="M269 244h30l-4 26h-22z" />
      </g>
    </svg>
  );
}
