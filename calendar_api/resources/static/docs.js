// Tells RapiDoc what its attributes cannot know: how wide the screen is, and whether people like it dark.
"use strict";

const rapidoc = document.querySelector("rapi-doc");
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 767px)");

function paint() {
  rapidoc.setAttribute("theme", dark.matches ? "dark" : "light");
  rapidoc.setAttribute("primary-color", dark.matches ? "#8ab4f8" : "#0b57d0");
}

dark.addEventListener("change", paint);
paint();

// There is no navigation beside the text on a narrow screen: a list of operations to open takes its place.
if (narrow.matches) {
  rapidoc.setAttribute("render-style", "view");
}

// HEAD and OPTIONS follow from the rest; for people they would only make the list twice as long.
rapidoc.addEventListener("before-render", (event) => {
  for (const operations of Object.values(event.detail.spec.paths)) {
    delete operations.head;
    delete operations.options;
  }
});
