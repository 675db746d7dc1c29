//! An MCAP file as storage. With a summary, chunk by chunk in the order of time; without one (a recorder that crashed,
//! or was told to write none), from front to end, as far as it goes.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque},
    fs::File,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use mcap::records::Record;

use super::{
    BagError,
    mcap_records::{HEAD_LEN, Head, MessageHead, op, read_body, read_head, visit, visit_chunk},
    storage::{Storage, Stored, Topic},
};

const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

/// Opcode, length, summary start, summary offset start, checksum, magic.
const FOOTER_AND_MAGIC_LEN: u64 = HEAD_LEN + 8 + 8 + 4 + 8;

/// Messages that wait for their turn take this much memory at most: chunks that overlap in time hold each other's
/// messages back, and beyond this they are let go out of order.
const MAX_WAITING_BYTES: usize = 1 << 30;

/// An MCAP file.
#[derive(Debug)]
pub(super) struct McapFile {
    path: PathBuf,
    file: BufReader<File>,
    size: u64,
    channels: Channels,
    /// Places and first times of the chunks in the order of these times; `None` where no index says.
    chunks: Option<Vec<(u64, u64)>>,
    next_chunk: usize,
    /// Where the next record begins, when there is no index.
    position: u64,
    ended: bool,
    wanted: Vec<usize>,
    waiting: Waiting,
    asides: VecDeque<Stored>,
}

/// Schemas, channels and topics, as far as they have been seen.
#[derive(Debug, Default)]
struct Channels {
    schemas: HashMap<u16, String>,
    topic_of: HashMap<u16, usize>,
    topics: Vec<Topic>,
}

/// Messages in the order of their times; those of the same time as they came.
#[derive(Debug, Default)]
struct Waiting {
    heap: BinaryHeap<Reverse<Waiter>>,
    came: u64,
    bytes: usize,
}

/// Time, order of arrival, topic, message.
type Waiter = (u64, u64, usize, Vec<u8>);

/// How reading one record went.
enum Step {
    Record,
    End,
    Cut(String),
}

impl McapFile {
    /// Opens a file and learns its topics.
    ///
    /// # Errors
    /// When it cannot be read or is no MCAP file.
    pub fn open(path: &Path) -> Result<Self, BagError> {
        let failed = |source| BagError::Io { path: path.into(), source };
        let file = File::open(path).map_err(failed)?;
        let size = file.metadata().map_err(failed)?.len();
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut magic = [0; 8];
        if file.read_exact(&mut magic).is_err() || magic != MAGIC {
            let why = "not an MCAP file (it does not begin with the MCAP magic)".into();
            return Err(BagError::Storage { path: path.into(), why });
        }
        let mut opened = Self {
            path: path.into(),
            file,
            size,
            channels: Channels::default(),
            chunks: None,
            next_chunk: 0,
            position: MAGIC.len() as u64,
            ended: false,
            wanted: Vec::new(),
            waiting: Waiting::default(),
            asides: VecDeque::new(),
        };
        if opened.read_summary().is_err() || opened.channels.topics.is_empty() {
            opened.chunks = None;
            opened.survey();
        }
        Ok(opened)
    }

    /// Learns the topics, their counts and the places of the chunks from the end of the file.
    fn read_summary(&mut self) -> io::Result<()> {
        let bad = || io::Error::from(io::ErrorKind::InvalidData);
        let footer_at = self.size.checked_sub(FOOTER_AND_MAGIC_LEN).ok_or_else(bad)?;
        self.file.seek(SeekFrom::Start(footer_at))?;
        let mut tail = [0; FOOTER_AND_MAGIC_LEN as usize];
        self.file.read_exact(&mut tail)?;
        if tail[0] != op::FOOTER || !tail.ends_with(&MAGIC) {
            return Err(bad());
        }
        let Record::Footer(footer) = mcap::parse_record(op::FOOTER, &tail[9..29]).map_err(io::Error::other)? else {
            return Err(bad());
        };
        if footer.summary_start == 0 || footer.summary_start > footer_at {
            return Err(bad());
        }
        self.file.seek(SeekFrom::Start(footer.summary_start))?;
        let mut summary = (&mut self.file).take(footer_at - footer.summary_start);
        let (mut chunks, mut chunk_count, mut counts) = (Vec::new(), None, None);
        let channels = &mut self.channels;
        visit(&mut summary, &mut |head, body| {
            if channels.take(head, body)? {
                return Ok(());
            }
            match head.opcode {
                op::CHUNK_INDEX | op::STATISTICS => {}
                _ => return Ok(()),
            }
            match mcap::parse_record(head.opcode, &read_body(body, head.len)?).map_err(io::Error::other)? {
                Record::ChunkIndex(index) => chunks.push((index.message_start_time, index.chunk_start_offset)),
                Record::Statistics(statistics) => {
                    chunk_count = Some(statistics.chunk_count as usize);
                    counts = Some(statistics.channel_message_counts);
                }
                _ => {}
            }
            Ok(())
        })?;
        if let Some(counts) = counts {
            self.channels.topics.iter_mut().for_each(|t| t.count = Some(0));
            for (channel, count) in counts {
                self.channels.count(channel, count);
            }
        }
        // An index that does not cover every chunk, or points elsewhere, is no index.
        let size = self.size;
        if !chunks.is_empty()
            && chunks.iter().all(|(_, at)| *at < size)
            && chunk_count.is_none_or(|n| n == chunks.len())
        {
            chunks.sort_unstable();
            self.chunks = Some(chunks.into_iter().map(|(time, at)| (at, time)).collect());
        }
        Ok(())
    }

    /// Learns the topics and their counts by going through the whole file.
    fn survey(&mut self) {
        let mut channels = Channels::default();
        let mut position = MAGIC.len() as u64;
        while let Ok((Step::Record, next)) = self.step(position, &mut |head, body| {
            if !channels.take(head, body)? && head.opcode == op::MESSAGE {
                channels.count(MessageHead::read(body)?.channel, 1);
            }
            Ok(())
        }) {
            position = next;
        }
        self.channels = channels;
    }

    /// Reads the record at `position`, or the records of the chunk there, and says where the next one is.
    fn step(
        &mut self,
        position: u64,
        sink: &mut dyn FnMut(Head, &mut dyn Read) -> io::Result<()>,
    ) -> io::Result<(Step, u64)> {
        let here = self.file.stream_position()?;
        self.file.seek_relative(position as i64 - here as i64)?;
        let head = match read_head(&mut self.file) {
            Ok(Some(head)) if head.opcode != 0 => head,
            Ok(Some(_)) => return Ok((Step::Cut(format!("nothing readable from byte {position} on")), position)),
            Ok(None) => return Ok((Step::Cut(format!("it ends at byte {position} without a conclusion")), position)),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
                return Ok((Step::Cut(format!("it ends within the record at byte {position}")), position));
            }
            Err(e) => return Err(e),
        };
        if matches!(head.opcode, op::DATA_END | op::FOOTER) {
            return Ok((Step::End, position));
        }
        let next = position.saturating_add(HEAD_LEN).saturating_add(head.len);
        let mut body = (&mut self.file).take(head.len);
        let result = if head.opcode == op::CHUNK { visit_chunk(&mut body, sink) } else { sink(head, &mut body) };
        if next > self.size {
            return Ok((Step::Cut(format!("it ends within the record at byte {position}")), position));
        }
        result.map(|()| (Step::Record, next)).map_err(|e| io::Error::other(DamagedRecord { next, why: e.to_string() }))
    }

    /// Reads one more record or chunk into `waiting`.
    fn advance(&mut self, position: u64) -> Result<Option<u64>, BagError> {
        let mut waiting = std::mem::take(&mut self.waiting);
        let wanted: HashMap<u16, usize> = self
            .channels
            .topic_of
            .iter()
            .filter_map(|(channel, topic)| self.wanted.contains(topic).then_some((*channel, *topic)))
            .collect();
        let mut chunk_bytes = 0;
        let stepped = self.step(position, &mut |head, body| {
            if head.opcode != op::MESSAGE {
                return Ok(());
            }
            let message = MessageHead::read(body)?;
            let Some(topic) = wanted.get(&message.channel) else { return Ok(()) };
            let data = read_body(body, head.len.saturating_sub(MessageHead::LEN))?;
            chunk_bytes += data.len();
            if chunk_bytes > MAX_WAITING_BYTES {
                return Err(io::Error::other(format!("it unpacks to more than {} MB", MAX_WAITING_BYTES >> 20)));
            }
            waiting.push(message.log_time, *topic, data);
            Ok(())
        });
        self.waiting = waiting;
        match stepped {
            Ok((Step::Record, next)) => Ok(Some(next)),
            Ok((Step::End, _)) => Ok(None),
            Ok((Step::Cut(why), _)) => {
                let name = self.path.display();
                self.asides.push_back(Stored::Note(format!("{name} is cut short: {why}; what was there is used")));
                Ok(None)
            }
            Err(e) => match e.get_ref().and_then(|e| e.downcast_ref::<DamagedRecord>()) {
                Some(damaged) => {
                    self.asides.push_back(Stored::Bad {
                        topic: None,
                        why: format!("record at byte {position}: {}", damaged.why),
                    });
                    Ok(Some(damaged.next))
                }
                None => Err(BagError::Io { path: self.path.clone(), source: e }),
            },
        }
    }
}

/// A record whose body cannot be read, and where the next one is.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
struct DamagedRecord {
    next: u64,
    why: String,
}

impl Channels {
    /// Takes in a schema or channel; false for other records.
    fn take(&mut self, head: Head, body: &mut dyn Read) -> io::Result<bool> {
        if !matches!(head.opcode, op::SCHEMA | op::CHANNEL) {
            return Ok(false);
        }
        match mcap::parse_record(head.opcode, &read_body(body, head.len)?).map_err(io::Error::other)? {
            Record::Schema { header, .. } => {
                self.schemas.insert(header.id, header.name);
            }
            Record::Channel(channel) => {
                let kind = self.schemas.get(&channel.schema_id).cloned().unwrap_or_default();
                let same = |t: &Topic| t.name == channel.topic && t.kind == kind;
                let topic = self.topics.iter().position(same).unwrap_or_else(|| {
                    let (name, serialization) = (channel.topic.clone(), channel.message_encoding.clone());
                    self.topics.push(Topic { name, kind: kind.clone(), serialization, count: None });
                    self.topics.len() - 1
                });
                self.topic_of.insert(channel.id, topic);
            }
            _ => {}
        }
        Ok(true)
    }

    fn count(&mut self, channel: u16, more: u64) {
        if let Some(topic) = self.topic_of.get(&channel).and_then(|t| self.topics.get_mut(*t)) {
            topic.count = Some(topic.count.unwrap_or(0).saturating_add(more));
        }
    }
}

impl Waiting {
    fn push(&mut self, time: u64, topic: usize, data: Vec<u8>) {
        self.bytes += data.len();
        self.came += 1;
        self.heap.push(Reverse((time, self.came, topic, data)));
    }

    /// The first message, if it is before `barrier` or there are too many.
    fn pop(&mut self, barrier: Option<u64>) -> Option<Stored> {
        let Reverse((time, ..)) = self.heap.peek()?;
        if barrier.is_some_and(|b| *time >= b) && self.bytes <= MAX_WAITING_BYTES {
            return None;
        }
        let Reverse((time, _, topic, data)) = self.heap.pop()?;
        self.bytes -= data.len();
        Some(Stored::Message { topic, time_ns: i64::try_from(time).unwrap_or(i64::MAX), data })
    }
}

impl Storage for McapFile {
    fn topics(&self) -> &[Topic] {
        &self.channels.topics
    }

    fn select(&mut self, topics: &[usize]) -> Result<(), BagError> {
        self.wanted = topics.to_vec();
        self.waiting = Waiting::default();
        self.asides.clear();
        (self.next_chunk, self.position, self.ended) = (0, MAGIC.len() as u64, false);
        Ok(())
    }

    fn next_stored(&mut self) -> Result<Option<Stored>, BagError> {
        loop {
            if let Some(aside) = self.asides.pop_front() {
                return Ok(Some(aside));
            }
            let next_chunk = self.chunks.as_ref().map(|chunks| chunks.get(self.next_chunk).copied());
            let barrier = next_chunk.flatten().map(|(_, time)| time);
            if let Some(message) = self.waiting.pop(barrier) {
                return Ok(Some(message));
            }
            match next_chunk {
                Some(Some((at, _))) => {
                    self.next_chunk += 1;
                    self.advance(at)?;
                }
                None if !self.ended => match self.advance(self.position)? {
                    Some(next) => self.position = next,
                    None => self.ended = true,
                },
                _ => return Ok(None),
            }
        }
    }
}
