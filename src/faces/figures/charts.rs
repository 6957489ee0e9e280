//! The charts: from numbers to a figure with a title, axes and a table of the same numbers.

use super::format::{count, percent, plural};
use super::svg::{Drawing, count_ticks, ticks};
use maud::{Markup, html};

/// Of charts over time and of histograms.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 8.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 34.0;

/// A figure: the drawing, what it shows, and its numbers as a table that can be unfolded.
pub struct Figure<'a> {
    pub title: &'a str,
    pub note: &'a str,
    /// Class of a color, and what has it.
    pub legend: &'a [(&'a str, &'a str)],
    pub drawing: Markup,
    /// The heads of its table, and its rows.
    pub heads: Vec<&'a str>,
    pub rows: Vec<Vec<String>>,
}

impl Figure<'_> {
    /// As it stands in a page.
    pub fn html(&self) -> Markup {
        html! {
            figure {
                (caption(self.title, self.note))
                @if !self.legend.is_empty() {
                    ul class="legend" {
                        @for (class, name) in self.legend { li { i class=(class) {} (name) } }
                    }
                }
                (self.drawing)
                @if !self.rows.is_empty() {
                    details { summary { "Numbers" } (table(&self.heads, &self.rows)) }
                }
            }
        }
    }
}

pub fn caption(title: &str, note: &str) -> Markup {
    html! { figcaption { h3 { (title) } @if !note.is_empty() { p { (note) } } } }
}

/// A table: the first column is of names, all others of numbers.
pub fn table(heads: &[&str], rows: &[impl AsRef<[String]>]) -> Markup {
    html! {
        div class="scroll" {
            table {
                thead { tr { @for head in heads { th scope="col" { (head) } } } }
                tbody { @for row in rows { tr { @for cell in row.as_ref() { td { (cell) } } } } }
            }
        }
    }
}

/// One part of each bar, from the bottom up.
pub struct Layer<'a> {
    pub class: &'a str,
    pub name: &'a str,
    pub counts: &'a [u64],
}

/// Bars over time, one a period, in layers.
pub fn over_time(
    title: &str,
    note: &str,
    unit: &str,
    periods: &[String],
    layers: &[Layer<'_>],
) -> Markup {
    let total =
        |place: usize| layers.iter().filter_map(|layer| layer.counts.get(place)).sum::<u64>();
    let most = (0..periods.len()).map(total).max().unwrap_or(0);
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    let scale = axis(&mut drawing, &count_ticks(most), unit);
    let slot = (WIDTH - LEFT - RIGHT) / periods.len().max(1) as f64;
    let (width, gap) = ((slot * 0.82).min(40.0), slot);
    for (place, period) in periods.iter().enumerate() {
        let x = LEFT + gap * place as f64 + (gap - width) / 2.0;
        let mut from = 0;
        for layer in layers {
            let more = layer.counts.get(place).copied().unwrap_or(0);
            let (low, high) = (scale(from as f64), scale((from + more) as f64));
            let label = format!("{period}: {} {}", count(more), layer.name);
            drawing.bar(layer.class, [x, high], [width, low - high], &label);
            from += more;
        }
    }
    for (place, at) in labels(periods.len(), slot) {
        drawing.text("tick", [at, HEIGHT - BOTTOM + 16.0], "middle", &periods[place]);
    }
    let sum: u64 = (0..periods.len()).map(total).sum();
    let label = format!("{title}: {}, at most {} in one period", plural(sum, unit), count(most));
    let mut heads = vec!["from"];
    heads.extend(layers.iter().map(|layer| layer.name));
    let rows = (0..periods.len()).filter(|place| total(*place) > 0).map(|place| {
        let numbers =
            layers.iter().map(|layer| count(layer.counts.get(place).copied().unwrap_or(0)));
        std::iter::once(periods[place].clone()).chain(numbers).collect()
    });
    let legend: Vec<(&str, &str)> = match layers {
        [_] => Vec::new(),
        layers => layers.iter().map(|layer| (layer.class, layer.name)).collect(),
    };
    Figure {
        title,
        note,
        legend: &legend,
        drawing: drawing.finish(&label),
        heads,
        rows: rows.collect(),
    }
    .html()
}

/// Which periods are named below their bars, and where, so that no two names touch.
pub fn labels(period_count: usize, slot: f64) -> Vec<(usize, f64)> {
    /// Of a name, with room beside it.
    const NAME_WIDTH: f64 = 84.0;
    let step = ((NAME_WIDTH / slot.max(1e-6)).ceil() as usize).max(1);
    let at = |place: usize| LEFT + slot * (place as f64 + 0.5);
    let fits = |x: &f64| *x >= NAME_WIDTH / 2.0 && *x <= WIDTH - NAME_WIDTH / 2.0 + 6.0;
    (0..period_count)
        .step_by(step)
        .map(|place| (place, at(place)))
        .filter(|(_, x)| fits(x))
        .collect()
}

/// Bars of equal width from 0 to 1, and perhaps a mark at a bound.
pub fn histogram(
    title: &str,
    note: &str,
    unit: &str,
    of: &str,
    bars: &[u64],
    bound: Option<(f64, &str)>,
) -> Markup {
    let most = bars.iter().copied().max().unwrap_or(0);
    let mut drawing = Drawing::new(WIDTH, HEIGHT);
    let scale = axis(&mut drawing, &count_ticks(most), unit);
    let across = WIDTH - LEFT - RIGHT;
    let slot = across / bars.len().max(1) as f64;
    let edge = |place: usize| place as f64 / bars.len().max(1) as f64;
    let range = |place: usize| format!("{:.2} to {:.2}", edge(place), edge(place + 1));
    for (place, bar) in bars.iter().enumerate() {
        let top = scale(*bar as f64);
        let is_below = bound.is_some_and(|(bound, _)| edge(place + 1) <= bound + 1e-9);
        let class = if is_below { "c5" } else { "c1" };
        let label = format!("{of} {}: {}", range(place), plural(*bar, unit));
        drawing.bar(
            class,
            [LEFT + slot * place as f64 + 1.0, top],
            [slot - 2.0, scale(0.0) - top],
            &label,
        );
    }
    for tenth in (0..=10).step_by(2) {
        let share = f64::from(tenth) / 10.0;
        let x = LEFT + across * share;
        drawing.text(
            "tick",
            [x.min(WIDTH - 12.0), HEIGHT - BOTTOM + 16.0],
            "middle",
            &format!("{share:.1}"),
        );
    }
    drawing.text("unit", [LEFT + across / 2.0, HEIGHT - 3.0], "middle", of);
    if let Some((bound, name)) = bound {
        let x = LEFT + across * bound.clamp(0.0, 1.0);
        drawing.line("bound", [x, TOP - 4.0], [x, scale(0.0)]);
        drawing.text("mark", [x + 5.0, TOP + 6.0], "start", name);
    }
    let sum: u64 = bars.iter().sum();
    let rows = bars.iter().enumerate().filter(|(_, bar)| **bar > 0);
    let rows = rows.map(|(place, bar)| vec![range(place), count(*bar)]).collect();
    let label = format!("{title}: {} from 0 to 1", plural(sum, unit));
    let heads = vec![of, unit];
    Figure { title, note, legend: &[], drawing: drawing.finish(&label), heads, rows }.html()
}

/// The lines and numbers of a vertical axis; answers where a value stands.
fn axis(drawing: &mut Drawing, ticks: &[f64], unit: &str) -> impl Fn(f64) -> f64 + use<> {
    let most = ticks.last().copied().unwrap_or(1.0).max(f64::MIN_POSITIVE);
    let scale = move |value: f64| HEIGHT - BOTTOM - (value / most) * (HEIGHT - BOTTOM - TOP);
    for tick in ticks {
        let y = scale(*tick);
        let class = if *tick == 0.0 { "base" } else { "grid" };
        drawing.line(class, [LEFT, y], [WIDTH - RIGHT, y]);
        drawing.text("tick", [LEFT - 6.0, y + 3.5], "end", &count(*tick as u64));
    }
    drawing.text("unit", [2.0, 11.0], "start", unit);
    scale
}

/// A share with its interval, from 0 to 100 %, as a small drawing in a row of a table.
pub fn interval(rate: f64, low: f64, high: f64) -> Markup {
    const WIDE: f64 = 160.0;
    const HIGH: f64 = 18.0;
    let inner = |share: f64| 4.0 + share.clamp(0.0, 1.0) * (WIDE - 8.0);
    let mut drawing = Drawing::new(WIDE, HIGH);
    for share in [0.0, 0.5, 1.0] {
        drawing.line("grid", [inner(share), 2.0], [inner(share), HIGH - 2.0]);
    }
    drawing.line("span", [inner(low), HIGH / 2.0], [inner(high), HIGH / 2.0]);
    drawing.circle("point", [inner(rate), HIGH / 2.0], 4.0);
    drawing.finish(&format!("{}, between {} and {}", percent(rate), percent(low), percent(high)))
}

/// Attempts over time, small: successes below, failures above.
pub fn spark(by_period: &[(u64, u64)]) -> Markup {
    const WIDE: f64 = 160.0;
    const HIGH: f64 = 24.0;
    let most =
        by_period.iter().map(|(success, failure)| success + failure).max().unwrap_or(0).max(1);
    // Few periods have bars no wider than those of others, so that rows can be compared.
    let slot = (WIDE / by_period.len().max(1) as f64).min(14.0);
    let mut drawing = Drawing::new(WIDE, HIGH);
    let tall = |count: u64| count as f64 / most as f64 * (HIGH - 2.0);
    for (place, (success, failure)) in by_period.iter().enumerate() {
        let (x, width) = (slot * place as f64, (slot * 0.8).max(0.8));
        let (low, top) = (tall(*success), tall(*failure));
        let label = format!("{success} succeeded, {failure} failed");
        drawing.bar("good", [x, HIGH - low], [width, low], &label);
        drawing.bar("bad", [x, HIGH - low - top], [width, top], &label);
    }
    drawing.finish(&format!("attempts over time, at most {most} in one period"))
}

/// Round steps of an axis between two values.
pub fn steps(low: f64, high: f64, count: usize) -> Vec<f64> {
    let step = ticks((high - low).max(1e-9), count).get(1).copied().unwrap_or(1.0);
    let first = (low / step).ceil();
    let last = (high / step).floor();
    let many = (last - first).clamp(-1.0, 40.0);
    (0..=many as i64).filter(|_| many >= 0.0).map(|at| (first + at as f64) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All numbers of the attributes of a drawing.
    fn numbers(html: &str) -> Vec<f64> {
        let attributes =
            ["x=\"", "y=\"", "width=\"", "height=\"", "x1=\"", "y1=\"", "x2=\"", "y2=\"", "r=\""];
        let mut found = Vec::new();
        for attribute in attributes {
            for (at, _) in html.match_indices(&format!(" {attribute}")) {
                let value = html[at + attribute.len() + 1..].split('"').next().expect("it ends");
                found.push(value.parse().unwrap_or_else(|_| panic!("{attribute}{value}")));
            }
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn all_that_is_drawn_is_on_the_paper(
            counts in prop::collection::vec(prop_oneof![0u64..40, any::<u32>().prop_map(u64::from)], 0..70),
        ) {
            let periods: Vec<String> = (0..counts.len()).map(|at| format!("2026-01-{at:02}")).collect();
            let layers = [
                Layer { class: "c1", name: "facts", counts: &counts },
                Layer { class: "c2", name: "perceptions", counts: &counts },
            ];
            let over_time = over_time("Memories", "", "memories", &periods, &layers);
            let histogram = histogram("Confidence", "", "memories", "confidence", &counts, Some((0.1, "bound")));
            for html in [over_time, histogram].map(Markup::into_string) {
                for number in numbers(&html) {
                    prop_assert!((0.0..=WIDTH).contains(&number), "{number} in {html}");
                }
                prop_assert!(!html.contains("NaN") && !html.contains("inf"));
            }
        }

        #[test]
        fn names_below_bars_do_not_touch(period_count in 1usize..70) {
            let slot = (WIDTH - LEFT - RIGHT) / period_count as f64;
            let at: Vec<f64> = labels(period_count, slot).into_iter().map(|(_, x)| x).collect();
            // Ten characters of 11 units are some 66 wide.
            prop_assert!(at.windows(2).all(|pair| pair[1] - pair[0] >= 70.0), "{at:?}");
        }

        #[test]
        fn steps_lie_between_their_ends(low in -1e6f64..1e6, span in 0.001f64..1e6) {
            let steps = steps(low, low + span, 5);
            let slack = span * 1e-6 + 1e-9;
            prop_assert!(steps.len() <= 12, "{}", steps.len());
            prop_assert!(steps.iter().all(|step| *step >= low - slack && *step <= low + span + slack));
        }
    }
}
