import type { ReactElement } from "react";
import type { Palette } from "./palette.ts";
import type { Place } from "./vocabulary.ts";

type Draw = (palette: Palette) => ReactElement;

/** Cut-paper silhouettes on a stage of 960 × 540, far to near. */
const DRAWINGS: Record<Place, Draw> = {
  tavern: ({ far, mid, near, front, glow }) => (
    <>
      <rect width="960" height="540" fill={mid} />
      <path d="M0 0h960v70H0z" fill={near} />
      {[60, 250, 440, 630, 820].map((x) => (
        <path key={x} d={`M${x} 0h34v120l-17 22-17-22z`} fill={front} />
      ))}
      <path d="M96 150h210v190H96z" fill={near} />
      <path d="M108 162h186v166H108z" fill={far} />
      <path d="M108 162h186v166H108z" fill={glow} opacity=".28" />
      <path d="M198 162v166M108 245h186" stroke={near} strokeWidth="8" />
      <path d="M640 400V190q0-60 78-60t78 60v210z" fill={near} />
      <path d="M664 400V220q0-50 54-50t54 50v180z" fill={front} />
      <path d="M718 292q44 50 22 88-22 22-44 0-22-34 22-88z" fill={glow} opacity=".9" />
      <path d="M718 334q20 26 10 46-10 10-20 0-10-18 10-46z" fill="#fff" opacity=".55" />
      <path d="M360 160h220v14H360zM360 226h220v14H360z" fill={front} />
      {[378, 412, 452, 490, 530, 558].map((x, index) => (
        <path
          key={x}
          d={`M${x - 8} ${160 - 0}v-${24 + (index % 3) * 8}h16v${24 + (index % 3) * 8}z`}
          fill={index % 2 ? far : near}
        />
      ))}
      {[384, 424, 468, 516, 556].map((x, index) => (
        <path
          key={x}
          d={`M${x - 10} 226v-${20 + (index % 2) * 10}h20v${20 + (index % 2) * 10}z`}
          fill={index % 2 ? near : far}
        />
      ))}
      <path d="M0 396h960v144H0z" fill={near} />
      <path d="M120 402h480l30 26H96z" fill={front} />
      <path d="M130 428h30v112h-30zM560 428h30v112h-30z" fill={front} />
      <path d="M330 352h40v50h-40zM370 362h14v26h-14" fill={front} />
      <path d="M334 346h32v8h-32z" fill={glow} opacity=".8" />
      <path d="M458 384h10v18h-10z" fill={far} />
      <path d="M463 362q8 12 0 22-8-10 0-22z" fill={glow} />
    </>
  ),
  forest: ({ far, mid, near, front }) => (
    <>
      <path d="M0 300q160-60 320-20t320-16 320 10v266H0z" fill={far} opacity=".7" />
      {[40, 130, 230, 340, 450, 560, 660, 770, 880].map((x, index) => (
        <path
          key={x}
          d={`M${x} ${150 + (index % 3) * 28}l58 ${150}h-34l46 ${70}H${x - 70}l46-70h-34z`}
          fill={far}
        />
      ))}
      <path d="M0 400q240-40 480 0t480-10v150H0z" fill={mid} />
      {[0, 180, 700, 860].map((x, index) => (
        <path
          key={x}
          d={`M${x + 40} ${60 + (index % 2) * 36}l86 180h-48l66 ${130}H${x - 64}l66-130h-48zM${x + 28} 360h24v90h-24z`}
          fill={mid}
        />
      ))}
      <path d="M0 462q260-46 480-10t480-8v96H0z" fill={near} />
      <path d="M40 540V20q0-20 20-20h26q10 120 4 240t16 300z" fill={front} />
      <path d="M860 540q16-180 8-320T884 0h52q-12 180-4 320t28 220z" fill={front} />
      <path d="M86 130q90-40 150-20-60 20-140 50zM872 200q-90-50-160-30 70 10 150 60z" fill={front} />
    </>
  ),
  castle: ({ far, mid, near, front, glow }) => (
    <>
      <path d="M0 330l140-90 120 60 180-120 160 100 140-70 220 110v220H0z" fill={far} opacity=".6" />
      <path
        d="M300 420V190h24v-24h22v24h28v-24h22v24h24v60h120v-60h24v-24h22v24h28v-24h22v24h24v230z"
        fill={mid}
      />
      <path d="M424 250V96h16V74h18v22h24V74h18v22h16v154z" fill={mid} />
      <path d="M470 74V30l44 14-44 16" fill={glow} opacity=".85" />
      <path d="M430 420v-70q0-50 50-50t50 50v70z" fill={front} />
      <path d="M455 150h12v30h-12zM348 250h12v34h-12zM588 250h12v34h-12z" fill={glow} />
      <path d="M0 420h300l60-26h240l60 26h300v120H0z" fill={near} />
      <path d="M0 540V300h30v-28h28v28h30v-28h28v28h30v60h40v180z" fill={front} />
      <path d="M410 420h140l120 120H290z" fill={mid} opacity=".6" />
    </>
  ),
  city: ({ far, mid, near, front, glow }) => (
    <>
      {[0, 90, 190, 300, 420, 520, 640, 740, 850].map((x, index) => (
        <path key={x} d={`M${x} 540V${180 + ((index * 67) % 130)}h${84}V540z`} fill={far} />
      ))}
      {[-20, 140, 330, 560, 700, 880].map((x, index) => (
        <path key={x} d={`M${x} 540V${240 + ((index * 53) % 90)}l60-44 60 44V540z`} fill={mid} />
      ))}
      {[30, 60, 200, 232, 372, 604, 640, 740, 772, 910].map((x, index) => (
        <path
          key={x}
          d={`M${x} ${330 + ((index * 31) % 60)}h16v24h-16z`}
          fill={glow}
          opacity={index % 3 ? 0.85 : 0.4}
        />
      ))}
      <path d="M0 540V210h150v190h40v140zM960 540V170H800v240h-36v130z" fill={near} />
      <path d="M150 250h70v14h-70zM160 264h4v26h-4zM206 264h4v26h-4zM156 288h60v36h-60z" fill={front} />
      <path d="M162 294h48v24h-48z" fill={glow} opacity=".75" />
      <path d="M800 300h-90l20-36h70z" fill={front} />
      <path d="M0 470h960v70H0z" fill={front} />
      <path d="M360 470h240l120 70H240z" fill={near} opacity=".7" />
      <path d="M686 470V250h8v220zM674 250h32l-6-22h-20z" fill={front} />
      <path d="M680 232h20v16h-20z" fill={glow} />
    </>
  ),
  harbour: ({ far, mid, near, front, glow }) => (
    <>
      <path d="M0 300q200-50 360-30t260 10 340-30v60H0z" fill={far} opacity=".8" />
      <path d="M0 310h960v230H0z" fill={mid} />
      {[330, 352, 378, 408].map((y, index) => (
        <path
          key={y}
          d={`M${40 + index * 60} ${y}h${160}M${420 - index * 30} ${y + 6}h${220}M${720 - index * 20} ${y}h${140}`}
          stroke={far}
          strokeWidth="3"
          opacity=".7"
        />
      ))}
      <path d="M812 300l14-150h28l14 150z" fill={near} />
      <path d="M820 150v-26h40v26zM816 124h48l-24-22z" fill={near} />
      <path d="M828 130h24v16h-24z" fill={glow} />
      <path d="M180 340h330l-40 66H230z" fill={front} />
      <path d="M300 340V110h10v230zM420 340V150h10v190z" fill={front} />
      <path d="M314 122q96 60 0 190zM296 140q-80 60-66 176h66zM434 160q70 54 0 154z" fill={near} />
      <path d="M0 452h620v18H0z" fill={front} />
      {[40, 160, 280, 400, 520].map((x) => (
        <path key={x} d={`M${x} 440h18v100h-18z`} fill={front} />
      ))}
      <path d="M60 396h54v56H60zM118 420h34v32h-34z" fill={near} />
    </>
  ),
  dungeon: ({ far, mid, near, front, glow }) => (
    <>
      <rect width="960" height="540" fill={mid} />
      <path d="M300 540V250q0-150 180-150t180 150v290z" fill={far} />
      <path d="M380 540V300q0-100 100-100t100 100v240z" fill={near} />
      <path d="M430 540V350q0-60 50-60t50 60v190z" fill={front} />
      {[0, 1, 2, 3].flatMap((row) =>
        [0, 1, 2].map((column) => (
          <path
            key={`${row}-${column}`}
            d={`M${column * 98 + (row % 2) * 34} ${90 + row * 92}h86v78h-86zM${674 + column * 98 + (row % 2) * 22} ${90 + row * 92}h86v78h-86z`}
            fill={near}
            opacity=".55"
          />
        )),
      )}
      <path
        d="M0 0h960v64q-70 30-130 0-60 40-140 4-60 34-140 0-80 40-160 0-70 34-150-4-60 34-110 0-70 26-130 0z"
        fill={front}
      />
      <path d="M232 300h16v90h-16zM712 300h16v90h-16z" fill={front} />
      <path d="M240 232q30 40 14 68h-28q-16-28 14-68zM720 232q30 40 14 68h-28q-16-28 14-68z" fill={glow} />
      <path d="M0 462q240-30 480 0t480 0v78H0z" fill={front} />
    </>
  ),
  mountains: ({ far, mid, near, front, glow }) => (
    <>
      <path d="M0 360L180 130l120 140L460 80l190 220 110-120 200 190v170H0z" fill={far} />
      <path
        d="M460 80l62 72-40 26-26-22-34 30-22-36zM180 130l44 52-30 16-22-14-28 14-12-14z"
        fill={glow}
        opacity=".8"
      />
      <path d="M0 430l210-150 150 110 200-140 220 150 180-90v230H0z" fill={mid} />
      <path d="M0 490q240-80 480-30t480-20v100H0z" fill={near} />
      <path d="M0 540V460q140-30 260 20t260 60z" fill={front} />
      <path d="M120 470l24-70 24 70zM70 480l18-54 18 54z" fill={front} />
    </>
  ),
  desert: ({ far, mid, near, front, glow }) => (
    <>
      <circle cx="690" cy="170" r="62" fill={glow} opacity=".9" />
      <path d="M0 330q180-70 380-10t580-30v250H0z" fill={far} />
      <path d="M80 318l60-90h70l14 30 40 60zM300 322l30-60h60l40 60z" fill={mid} opacity=".7" />
      <path d="M0 410q260-110 500-20 220 70 460-30v180H0z" fill={mid} />
      <path d="M0 470q220-20 420 10t540-40v100H0z" fill={near} />
      <path d="M160 470V360q0-12 12-12t12 12v50h22v-34q0-10 10-10t10 10v54h-42v40z" fill={front} />
      <path d="M0 520q340-50 960-6v26H0z" fill={front} />
    </>
  ),
  space: ({ far, mid, near, front, glow }) => (
    <>
      {Array.from({ length: 60 }, (_, index) => (
        <circle
          key={index}
          cx={(index * 197) % 960}
          cy={(index * 89) % 400}
          r={1 + (index % 3) * 0.6}
          fill={glow}
          opacity={0.4 + (index % 4) * 0.15}
        />
      ))}
      <circle cx="690" cy="190" r="120" fill={far} />
      <path d="M570 190a120 120 0 0 0 240 0q-120 46-240 0z" fill={mid} />
      <path d="M540 214q150 70 300-24" stroke={glow} strokeWidth="5" fill="none" opacity=".6" />
      <path d="M0 0h130L60 540H0zM960 0H830l70 540h60z" fill={near} />
      <path d="M0 400h960v140H0z" fill={near} />
      <path d="M130 400h700l60 60H70z" fill={front} />
      {[200, 270, 340, 560, 630, 700].map((x, index) => (
        <path key={x} d={`M${x} 420h44v18h-44z`} fill={glow} opacity={index % 2 ? 0.7 : 0.35} />
      ))}
      <path d="M430 470q50-70 100 0v70H430z" fill={front} />
    </>
  ),
  road: ({ far, mid, near, front, glow }) => (
    <>
      <path d="M0 310q200-90 420-30t540-30v290H0z" fill={far} />
      <path d="M610 290v-50l36-28 36 28v50zM690 292v-36l26-20 26 20v36z" fill={mid} />
      <path d="M634 262h12v16h-12zM708 266h10v12h-10z" fill={glow} />
      <path d="M0 392q260-60 520-16t440-10v174H0z" fill={mid} />
      <path d="M430 540q60-80 40-120t90-84q-40 50 0 96t70 108z" fill={far} opacity=".8" />
      <path d="M0 480q240-40 470 0t490-20v80H0z" fill={near} />
      <path d="M140 492V250h14v242zM96 250h110l-20 26H96zM120 300h90v24h-90z" fill={front} />
      <path d="M800 520l60-110 60 110z" fill={front} />
      <path d="M850 520l10-60 12 60z" fill={glow} opacity=".7" />
    </>
  ),
  interior: ({ far, mid, near, front, glow }) => (
    <>
      <rect width="960" height="540" fill={mid} />
      <path d="M0 0l190 90v330L0 540zM960 0L770 90v330l190 120z" fill={near} />
      <path d="M390 130h180v180H390z" fill={far} />
      <path d="M390 130h180v180H390z" fill={glow} opacity=".35" />
      <path d="M480 130v180M390 220h180" stroke={near} strokeWidth="8" />
      {[0, 1, 2].map((row) => (
        <path
          key={row}
          d={`M220 ${150 + row * 66}h130v8H220zM610 ${150 + row * 66}h130v8H610z`}
          fill={front}
        />
      ))}
      {[228, 246, 262, 288, 310, 622, 640, 668, 690, 716].map((x, index) => (
        <path
          key={x}
          d={`M${x} ${150 + (index % 3) * 66}v-${34 + (index % 2) * 8}h12v${34 + (index % 2) * 8}z`}
          fill={index % 2 ? near : far}
        />
      ))}
      <path d="M0 540l190-120h580l190 120z" fill={near} />
      <path d="M330 430h300l30 22H300zM322 452h22v88h-22zM616 452h22v88h-22z" fill={front} />
      <path d="M560 398h14v32h-14z" fill={far} />
      <path d="M567 370q10 16 0 28-10-12 0-28z" fill={glow} />
    </>
  ),
};

/** Somewhere that nobody has named: land and sky. */
const NOWHERE: Draw = ({ far, mid, near, front }) => (
  <>
    <path d="M0 330q240-80 480-20t480-20v250H0z" fill={far} />
    <path d="M0 410q240-60 480-6t480-14v150H0z" fill={mid} />
    <path d="M0 468q240-30 480 0t480-6v78H0z" fill={near} />
    <path d="M0 514q300-30 960 0v26H0z" fill={front} />
  </>
);

export function PlaceLayer({ place, palette }: { place: Place | undefined; palette: Palette }) {
  return place === undefined ? NOWHERE(palette) : DRAWINGS[place](palette);
}

const INDOORS: readonly Place[] = ["tavern", "dungeon", "interior"];

/** Weather stays outside; embers and dust do not. */
export function isIndoors(place: Place | undefined): boolean {
  return place !== undefined && INDOORS.includes(place);
}
