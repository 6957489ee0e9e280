//! The messages of all files of a bag, in order of log time.

use super::BagError;
use super::file::{BagFile, BagMessage, FileMessages, Wanted};
use super::problems::Problems;
use robot_memory_core::model::Stamp;
use std::collections::VecDeque;

/// Which messages are read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Places in [`BagReader::topics`](super::BagReader::topics); `None`: all.
    pub topics: Option<Vec<usize>>,
    /// The first log time.
    pub from: Option<Stamp>,
    /// The first log time that is too late.
    pub until: Option<Stamp>,
}

impl Filter {
    fn has(&self, topic: usize) -> bool {
        self.topics.as_ref().is_none_or(|topics| topics.contains(&topic))
    }

    fn from(&self) -> Stamp {
        self.from.unwrap_or(Stamp(i64::MIN))
    }

    fn until(&self) -> Stamp {
        self.until.unwrap_or(Stamp(i64::MAX))
    }
}

/// A file of a bag, and which of the bag's topics those of the file are.
#[derive(Debug)]
pub struct Member {
    pub file: BagFile,
    pub topics: Vec<usize>,
}

/// The messages of a bag in order of log time; those of one time in order of files.
///
/// An error is of a file that could not be opened again; the others go on.
pub struct Messages<'a> {
    members: &'a [Member],
    problems: &'a mut Problems,
    filter: Filter,
    /// Files not opened yet, in order of their first message.
    waiting: VecDeque<usize>,
    open: Vec<Open>,
}

struct Open {
    member: usize,
    messages: FileMessages,
    head: BagMessage,
}

impl<'a> Messages<'a> {
    pub(super) fn new(members: &'a [Member], problems: &'a mut Problems, filter: Filter) -> Self {
        let mut waiting: Vec<(Stamp, usize)> = members
            .iter()
            .enumerate()
            .filter_map(|(place, member)| {
                let (start, end) = member.file.contents.span?;
                let is_wanted = start < filter.until()
                    && end >= filter.from()
                    && member.topics.iter().any(|topic| filter.has(*topic));
                is_wanted.then_some((start, place))
            })
            .collect();
        waiting.sort_unstable();
        let waiting = waiting.into_iter().map(|(_, place)| place).collect();
        Self { members, problems, filter, waiting, open: Vec::new() }
    }

    fn open_next(&mut self) -> Result<(), BagError> {
        let Some(place) = self.waiting.pop_front() else { return Ok(()) };
        let Some(member) = self.members.get(place) else { return Ok(()) };
        let wanted = Wanted {
            topics: member.topics.iter().map(|topic| self.filter.has(*topic)).collect(),
            from: self.filter.from(),
            until: self.filter.until(),
        };
        let mut messages = member.file.messages(wanted, self.problems)?;
        if let Some(head) = messages.next(self.problems) {
            self.open.push(Open { member: place, messages, head });
        }
        Ok(())
    }

    fn next_start(&self) -> Option<Stamp> {
        let place = self.waiting.front()?;
        self.members.get(*place)?.file.contents.span.map(|(start, _)| start)
    }

    /// Takes the head of an open file, and reads the next one.
    fn take(&mut self, place: usize) -> Option<BagMessage> {
        let open = self.open.get_mut(place)?;
        let member = self.members.get(open.member)?;
        let head = match open.messages.next(self.problems) {
            Some(next) => std::mem::replace(&mut open.head, next),
            None => self.open.remove(place).head,
        };
        let topic = *member.topics.get(head.topic)?;
        Some(BagMessage { topic, ..head })
    }
}

impl Iterator for Messages<'_> {
    type Item = Result<BagMessage, BagError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let earliest = self
                .open
                .iter()
                .enumerate()
                .map(|(place, open)| (open.head.log_time, open.member, place))
                .min();
            match (earliest, self.next_start()) {
                (None, None) => return None,
                (Some((time, _, place)), start) if start.is_none_or(|start| start > time) => {
                    return self.take(place).map(Ok);
                }
                _ => {
                    if let Err(error) = self.open_next() {
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}
