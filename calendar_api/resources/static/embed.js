/* Shows a calendar on another site, in a frame as high as its content (docs/embedding.md):
 *
 *   <script src="https://calendar.example.org/embed.js" async></script>
 *   <calendar-embed src="https://calendar.example.org/events/" view="month" categories="music"></calendar-embed>
 */
(() => {
  "use strict";

  const events = new URL("events/", document.currentScript?.src ?? document.baseURI);
  const views = ["list", "month", "today"];
  const filters = [
    "search", "categories", "tags", "venue", "organizer", "featured", "start_date", "end_date",
  ];

  class CalendarEmbed extends HTMLElement {
    static observedAttributes = ["src", "view", "title", ...filters];

    constructor() {
      super();
      this.setHeight = this.setHeight.bind(this);
    }

    connectedCallback() {
      addEventListener("message", this.setHeight);
      this.show();
    }

    disconnectedCallback() {
      removeEventListener("message", this.setHeight);
    }

    attributeChangedCallback() {
      if (this.frame) this.show();
    }

    show() {
      const page = this.page();
      if (!/^https?:$/.test(page.protocol)) return;
      this.origin = page.origin;
      const frame = document.createElement("iframe");
      frame.title = this.getAttribute("title") || "Events";
      frame.loading = "lazy";
      frame.src = page.href;
      // Properties, because the policy of the site may forbid `style` attributes.
      frame.style.cssText = "display: block; width: 100%; height: 600px; border: 0";
      this.frame = frame;
      this.replaceChildren(frame);
    }

    page() {
      const page = new URL(this.getAttribute("src") || events, document.baseURI);
      const view = this.getAttribute("view");
      if (views.includes(view)) page.pathname = page.pathname.replace(/\/?$/, `/${view}/`);
      for (const name of filters) {
        if (this.hasAttribute(name)) page.searchParams.set(name, this.getAttribute(name));
      }
      page.searchParams.set("embed", "1");
      return page;
    }

    /* Any page may send messages: only those of the page in this frame count. */
    setHeight({ source, origin, data }) {
      const isOurs = this.frame && source === this.frame.contentWindow && origin === this.origin;
      const height = isOurs && data ? data.calendarHeight : undefined;
      if (Number.isFinite(height) && height > 0) this.frame.style.height = `${Math.ceil(height)}px`;
    }
  }

  if (!customElements.get("calendar-embed")) customElements.define("calendar-embed", CalendarEmbed);
})();
