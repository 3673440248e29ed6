/* Sends the height of this page to the site that shows it in a frame, at first and after each change. */
if (parent !== window) {
  const page = document.documentElement;
  const send = () => parent.postMessage({ calendarHeight: page.getBoundingClientRect().height }, "*");
  addEventListener("load", send);
  new ResizeObserver(send).observe(page);
}
