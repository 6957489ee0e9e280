//! English ways to say what other words of the reader say: each row is the word that is known, and what else is
//! said for it. A row without a word names what says nothing.

/// The known words, and those that mean the same.
#[rustfmt::skip]
pub(super) const ENGLISH: &[(&str, &[&str])] = &[
    // Sides of an event or a time.
    ("before", &["b4", "bef", "ahead of", "in advance of", "in the run up to", "in the lead up to", "in the run-up to", "in the lead-up to", "running up to", "coming up to", "earlier than",
        "previous to", "prior to", "anterior to", "no later than just before", "preceding", "that precedes", "which precedes", "that preceded", "which preceded",
        "that came prior to", "that came before", "that comes before", "coming before", "that had come before", "that lie before", "that lies before", "that was before", "that had been before"]),
    ("the last one before", &["the one before", "the one prior to", "the one preceding", "the one right before", "the one just before"]),
    ("the first one after", &["the one after", "the one following", "the one right after", "the one just after"]),
    ("right before", &["right in front of", "just in front of", "sits right in front of", "immediately prior to", "directly prior to", "immediately previous to", "immediately preceding", "directly preceding",
        "just preceding", "just prior to", "just ahead of", "shortly before", "that immediately precedes", "that directly precedes", "that immediately preceded", "that directly preceded",
        "immediately ahead of", "nearest before", "closest before", "nearest to and before", "immediately preceded", "directly preceded", "hard before", "last thing before"]),
    ("after", &["aft", "later than", "subsequent to", "past noon and after", "that follows", "which follows", "that followed", "which followed", "following upon", "following on from", "coming after",
        "that comes after", "that came after", "in the wake of", "on the heels of", "upwards of the time", "posterior to", "that was after", "that lie after", "that lies after", "beyond"]),
    ("right after", &["straight after", "directly after", "immediately after", "right behind", "just after", "immediately subsequent to", "directly subsequent to", "directly following", "immediately following", "just following",
        "that immediately follows", "that immediately followed", "that directly follows", "that directly followed", "hot on the heels of", "straight following", "hard after", "shortly after"]),
    ("since", &["ever since", "starting from", "starting at", "as from", "counting from", "counted from", "reckoning from", "from the time of", "from the moment of"]),
    ("between", &["betw.", "betw", "btw.", "btwn", "b/w", "strictly between", "in between", "somewhere between", "anywhere between", "any time between", "at some point between", "sandwiched between", "in the gap between",
        "in the interval between", "in the stretch between", "in the period between", "in the time between", "lying between", "lies between", "lie between", "lay between", "falling between", "fall between", "fell between", "that fell in between", "fell in between"]),
    ("next", &["did follow next", "followed next", "follows next", "follow next", "came next", "comes next", "did come next", "coming next", "was next", "was the next"]),
    ("until", &["up until", "up till", "right up until", "till"]),
    ("within", &["inside of"]),
    ("in", &["in the course of", "for the duration of", "over the course of"]),
    ("on either side of", &["either side of", "each side of", "on each side of", "on both sides of", "before and after", "to either side of", "before or after"]),
    ("after 12:00", &["past noon", "past midday", "past 12 noon", "after 12 noon"]),
    ("before 12:00", &["before 12 noon", "ahead of noon"]),
    ("in the morning", &["that morning", "on that morning", "of that morning"]),
    ("in the afternoon", &["that afternoon", "on that afternoon", "of that afternoon"]),
    ("between", &["in the minute between", "in the minutes between", "in the hour between", "in the two minutes between"]),
    ("came first after it", &["was the first to follow it", "was the first to come after it", "was first to follow", "was the first to follow", "followed it first", "came first after that"]),
    ("", &["was behind us", "was over and done with", "was done with", "was history"]),
    ("was the last", &["closed the series as the last", "came as the last", "was the last one of all"]),
    ("that came last", &["with which that hour closed", "with which the hour closed", "with which each hour closed", "with which that hour ended", "with which the hour ended"]),
    ("that came first", &["with which that hour opened", "with which the hour opened", "with which each hour opened", "with which that hour began", "with which the hour began"]),
    ("before", &["that ends at", "which ends at", "ending at", "that lies more than", "which lies more than", "that closes at"]),
    ("after", &["that starts at", "which starts at", "that begins at", "that opens at"]),
    ("in the", &["inside a window of duration", "inside a window of", "in a window of duration", "in a window of", "within a window of duration", "within a window of"]),
    ("how many times", &["went how many times into", "went how often into"]),
    ("from", &["in the interval from", "in the period from", "in the window from", "in the range from", "in the stretch from", "in the time from"]),
    ("at most", &["no more than", "not more than", "no longer than"]),
    ("in total", &["in sum"]),
    ("distribution", &["histogram", "histogram of", "bar chart of", "bar chart"]),
    ("", &["for my report", "for my records", "for our records", "for my notes", "for my file", "for the file", "for the minutes", "for my sheet", "for my diary", "for my spreadsheet", "for the spreadsheet", "for my colleague", "for my boss", "for the audit", "for an audit", "for the meeting", "for my slides", "for the slides", "for a slide", "for the incident report", "for the daily report", "for the weekly report", "for the protocol"]),
    // Which of several.
    ("first", &["opening", "very first", "initial", "inaugural", "first of all"]),
    ("last", &["closing", "concluding", "terminal", "very last", "ultimate", "very final"]),
    ("second to last", &["last but one", "next to last", "penultimate", "second from the end", "second from last", "one before the last", "one before last", "second most recent", "second-last", "second last", "second latest",
        "second from the end of the log", "second from the end of the recording"]),
    ("third to last", &["last but two", "antepenultimate", "third from the end", "third from last", "third-last", "third last", "third most recent", "third from the end of the log", "third from the end of the recording"]),
    ("fourth to last", &["last but three", "fourth from the end", "fourth from last", "fourth-last", "fourth last"]),
    ("most recent", &["most lately", "freshest", "latest in time", "newest"]),
    // How many.
    ("how many", &["qty of", "quantity of", "the quantity of", "quantities of", "no. of", "# of", "what number of", "the amount of", "amount of", "tally of", "a tally of", "tally up", "sum of", "how large is the number of", "what is the total of", "the total of", "total of", "numbers for", "numbers of",
        "a figure for", "headcount of", "the sum of", "tally", "a count of", "the count of", "the tally of"]),
    ("how often", &["how many times over", "with what frequency", "on how many occasions", "how frequently", "in how many cases", "how many times", "what number of times"]),
    ("in total", &["qty", "quantity", "grand total", "all in all", "summed up", "the lot of them together", "taken together", "put together", "all together"]),
    // Of each hour.
    ("per hour", &["hour for hour", "hour after hour", "per hr", "each hr", "every hr", "by hr", "/h", "/hr", "/hour", "per clock hour", "by clock hour", "for each clock hour", "for every clock hour", "in each clock hour", "in every clock hour", "of each clock hour", "of every clock hour",
        "hour by hour", "by the hour", "down by the hour", "split by hour", "split per hour", "split per hr", "one row per hour", "one per hour", "one for each hour", "one for every hour", "one example per hour", "one line per hour", "one entry per hour",
        "split hourly", "on an hourly basis", "in hourly buckets", "in hourly bins", "in hour bins", "in hour buckets", "broken down by hour", "broken down by the hour", "broken out by hour", "grouped by hour", "sorted by hour", "hourly",
        "for each of the hours", "in each of the hours", "of each of the hours", "in each hour of the day"]),
    ("per day", &["day for day", "day after day", "one row per day", "one per day", "by the day"]),
    // Classes.
    ("protective stop", &["prot. stop", "prot stop", "protect stop", "protection halt", "protective halt", "p stop", "safety trip", "protective-stop", "protective_stop", "protective event"]),
    ("protective stops", &["prot. stops", "prot stops", "protect stops", "protective halts", "safety trips", "protective-stops", "protective_stops", "protective stop events", "protective stop occurrences", "protective stop entries"]),
    ("grip loss", &["loss of grip", "loss of the grip", "drop by the gripper", "drop at the gripper", "gripper drop", "grip-loss", "grip_lost", "lost grip", "grip-lost", "loss of a part", "loss of the part", "loss of hold", "grip lost event", "dropped part"]),
    ("grip losses", &["losses of grip", "losses of the grip", "drops by the gripper", "drops at the gripper", "gripper drops", "grip-losses", "lost grips", "grip losts", "grip lost entries", "grip lost events", "lost-grip events", "parts dropped by gripper", "parts dropped by the gripper", "parts lost by the gripper",
        "parts lost by gripper", "parts the gripper dropped", "parts the gripper lost", "losses of a part", "losses of hold", "dropped parts", "grip loss events", "times the grip was lost", "times grip was lost", "times the gripper lost its grip",
        "times the gripper lost its part", "times the gripper dropped a part", "cases of a lost grip", "cases of lost grip", "grip losing events", "times it lost its grip", "times the part was lost"]),
    ("lost its grip", &["lose hold of anything", "lost hold of anything", "lost hold", "lost its hold", "lose its hold", "lose hold", "lost hold of its part", "lost hold of the part", "lost its part", "lost the part", "lost a part", "let go of its part", "let go of the part", "let go of a part"]),
    ("cycle change", &["change of cycle", "change of the cycle", "changeover of the cycle", "cycle changeover", "cycle switchover", "cycle switch", "cycle-change", "cycle transition", "cycle counter change", "change of the cycle number", "change in cycle", "change in the cycle", "cycle number change", "increment of the cycle counter"]),
    ("cycle changes", &["changes of cycle", "changes of the cycle", "changeovers of the cycle", "cycle changeovers", "cycle switchovers", "cycle switches", "cycle-changes", "cycle transitions", "cycle counter changes", "changes of the cycle number", "changes in cycle", "cycle number changes", "cycle change events", "increments of the cycle counter"]),
    ("the change", &["the changeover", "the switchover", "the leap", "the jump", "the switch", "the step", "that leap", "that jump", "that tick", "that changeover", "that switch", "that change", "the tick", "the advance"]),
    ("arm movement", &["arm move", "movement of the arm", "move of the arm", "motion of the arm", "arm-movement", "robot arm movement", "robot arm motion", "arm motion"]),
    ("arm movements", &["arm moves", "movements of the arm", "moves of the arm", "motions of the arm", "arm-movements", "robot arm movements", "robot arm motions", "arm motions"]),
    // That an event is of any kind.
    ("events", &["all types of events", "events of any type", "events of all types", "events of every type", "events of any class", "events of any kind", "stored events", "events of whatever type", "memories of any type", "logged events"]),
    ("event", &["event of any type", "event of any kind", "event of any class", "single event", "log item", "memory of any type"]),
    ("", &["of any type", "of any class", "of whatever type", "any type", "any kind", "all types", "all kinds", "every type", "whatever type", "whatever their type", "whatever its type", "whatever the type", "regardless of type", "regardless of class", "regardless of kind", "irrespective of type", "irrespective of class",
        "irrespective of kind", "no matter which type", "no matter what type", "no matter the type", "no matter what kind", "event type unrestricted", "type unrestricted", "type does not matter", "type doesn't matter", "whatever sort of event it may have been", "whatever it was", "whatever it may be", "whatever it may have been", "whatever they are", "whatever kind", "be it what it may", "type irrelevant"]),
    // Beginning.
    ("started", &["commenced", "begun", "had begun", "had started", "had been started", "was started", "were started", "was begun", "were begun", "has been started", "have been started", "have begun", "has begun", "kicked in", "kicked off", "whose start came", "whose start is", "whose start was", "whose start lies", "set off", "got going", "got started", "got underway", "took off", "was under way", "came around", "came round", "rolled round", "rolled around", "came along"]),
    ("start", &["commence", "kick off", "get going", "get started"]),
    ("that started before", &["whose start precedes", "whose start preceded", "whose begin precedes"]),
    ("that started after", &["whose start follows", "whose start followed"]),
    // That says nothing of what is asked.
    ("", &["in each case", "in each instance", "would be needed by us", "would be needed", "is needed by us", "by the robot", "by the arm", "by our robot", "of the robot", "in which at least one was recorded", "in which there was at least one", "in which at least one occurred", "in which any occurred", "in which there was one", "that has one", "that had one", "if there was one",
        "can be found in the log", "can be found in memory", "are to be found in the log", "can be found", "that can be found", "is on record", "are on record", "on record", "on file", "in the archive", "that you have", "that we have", "that there are", "that there were", "that we had", "that were there",
        "do exist", "does exist", "that exist", "that exists", "have been there", "has been there", "were there in all", "for the appendix", "for the annex", "one entry", "exactly one", "just one", "a single one", "if i may ask", "if i may", "if it isn't too much trouble", "if it is not too much trouble", "if that's not too much trouble",
        "if you'd be so good", "if you would be so good", "if you'd be so kind", "if you would be so kind", "if you don't mind", "if you please", "in the book", "in the books", "in the complete recording", "in the whole recording", "of the whole recording", "in the entire recording", "of the entire recording", "of the recording", "of the log", "in the recording", "of the data", "in the database", "of all",
        "from the recording", "from the whole recording", "in the store", "in your store", "in memory", "in the memory", "at the gripper", "up to and including now", "for certain", "are required", "is required", "are needed", "are wanted", "is wanted", "entered in the log", "a table with", "a table of", "a chart with", "a chart of", "a list with", "given", "and which ones", "and which ones were they", "and what were they", "which were they", "which ones were they", "and if so which ones", "and if so which", "and could you show me each case", "show me each case", "and may i see those grip losses", "by any chance", "as it happens", "as it were", "if you can see it", "as far as you know", "as far as you can tell", "to your knowledge", "ever noted down", "you ever noted down", "noted down", "ever recorded", "ever stored", "that was ever stored", "that has been registered", "that was registered", "that have been registered", "that were registered", "registered", "on display", "em"]),
    // Ways to ask.
    ("list", &["set out", "obtain", "produce", "supply", "furnish", "compile", "gather", "lay out", "put up", "serve up", "draw up", "query for", "look for", "search for", "search out", "hunt down", "select", "pick", "pick out all", "go through and pick out", "output", "spit out", "dump", "point out", "point me to", "get me", "grab", "grab me", "hand me", "read back", "break out", "report", "specify", "determine", "name me", "i am searching for", "i am searching", "i'm searching for", "i search", "i look for", "query", "tabulate", "deliver", "present", "state"]),
    ("list the number of", &["tabulate the count of", "count up the", "give the number of"]),
    ("please", &["kindly", "pls", "plz", "if you will", "would you", "will you"]),
    ("what", &["whats", "what's"]),
];

/// The same where a clock time, or a number, follows.
#[rustfmt::skip]
pub(super) const BEFORE_DIGITS: &[(&str, &[&str])] = &[
    ("before the", &["in front of the"]),
    ("after", &["past"]),
    ("before", &["in front of"]),
    ("at", &["of", "recorded at", "logged at", "stamped", "timestamped", "registered at", "entered at"]),
];
