package eval

// synonymTable has a line for each word: its forms, and those of a synonym in the
// same order. They are everyday English, written down from memory and without a look
// at any question; each word stands once on the left.
const synonymTable = `buy buys bought buying: purchase purchases purchased purchasing
sell sells sold selling: vend vends vended vending
get gets got getting: receive receives received receiving
give gives gave given giving: hand hands handed handed handing
begin begins began begun beginning: start starts started started starting
start starts started starting: begin begins began beginning
end ends ended ending: finish finishes finished finishing
finish finishes finished finishing: complete completes completed completing
stop stops stopped stopping: halt halts halted halting
like likes liked liking: enjoy enjoys enjoyed enjoying
love loves loved loving: adore adores adored adoring
enjoy enjoys enjoyed enjoying: like likes liked liking
want wants wanted wanting: wish wishes wished wishing
need needs needed needing: require requires required requiring
plan plans planned planning: intend intends intended intending
talk talks talked talking: speak speaks spoke speaking
speak speaks spoke spoken speaking: talk talks talked talked talking
say says said saying: mention mentions mentioned mentioning
tell tells told telling: inform informs informed informing
mention mentions mentioned mentioning: state states stated stating
discuss discusses discussed discussing: debate debates debated debating
ask asks asked asking: inquire inquires inquired inquiring
answer answers answered answering: reply replies replied replying
think thinks thought thinking: believe believes believed believing
believe believes believed believing: think thinks thought thinking
feel feels felt feeling: sense senses sensed sensing
know knows knew known knowing: understand understands understood understood understanding
learn learns learned learning: study studies studied studying
study studies studied studying: learn learns learned learning
teach teaches taught teaching: instruct instructs instructed instructing
show shows showed shown showing: display displays displayed displayed displaying
see sees saw seen seeing: notice notices noticed noticed noticing
look looks looked looking: gaze gazes gazed gazing
watch watches watched watching: view views viewed viewing
hear hears heard hearing: listen listens listened listening
read reads reading: peruse peruses perusing
write writes wrote written writing: author authors authored authored authoring
make makes made making: create creates created creating
create creates created creating: make makes made making
build builds built building: construct constructs constructed constructing
fix fixes fixed fixing: repair repairs repaired repairing
repair repairs repaired repairing: mend mends mended mending
break breaks broke broken breaking: damage damages damaged damaged damaging
change changes changed changing: alter alters altered altering
improve improves improved improving: enhance enhances enhanced enhancing
help helps helped helping: assist assists assisted assisting
support supports supported supporting: back backs backed backing
try tries tried trying: attempt attempts attempted attempting
use uses used using: employ employs employed employing
work works worked working: labor labors labored laboring
live lives lived living: reside resides resided residing
stay stays stayed staying: remain remains remained remaining
go goes went gone going: travel travels traveled traveled traveling
come comes came coming: arrive arrives arrived arriving
leave leaves left leaving: depart departs departed departing
move moves moved moving: relocate relocates relocated relocating
visit visits visited visiting: see sees saw seeing
travel travels traveled traveling: journey journeys journeyed journeying
return returns returned returning: revert reverts reverted reverting
meet meets met meeting: encounter encounters encountered encountering
join joins joined joining: enter enters entered entering
attend attends attended attending: visit visits visited visiting
win wins won winning: gain gains gained gaining
lose loses lost losing: forfeit forfeits forfeited forfeiting
find finds found finding: locate locates located locating
search searches searched searching: look looks looked looking
keep keeps kept keeping: retain retains retained retaining
save saves saved saving: preserve preserves preserved preserving
send sends sent sending: transmit transmits transmitted transmitting
receive receives received receiving: get gets got getting
take takes took taken taking: grab grabs grabbed grabbed grabbing
bring brings brought bringing: carry carries carried carrying
put puts putting: place places placing
add adds added adding: append appends appended appending
remove removes removed removing: delete deletes deleted deleting
delete deletes deleted deleting: remove removes removed removing
check checks checked checking: verify verifies verified verifying
test tests tested testing: examine examines examined examining
compare compares compared comparing: contrast contrasts contrasted contrasting
choose chooses chose chosen choosing: select selects selected selected selecting
select selects selected selecting: choose chooses chose choosing
decide decides decided deciding: resolve resolves resolved resolving
convert converts converted converting: transform transforms transformed transforming
count counts counted counting: tally tallies tallied tallying
calculate calculates calculated calculating: compute computes computed computing
combine combines combined combining: join joins joined joining
split splits splitting: divide divides dividing
sort sorts sorted sorting: order orders ordered ordering
happen happens happened happening: occur occurs occurred occurring
occur occurs occurred occurring: happen happens happened happening
cause causes caused causing: trigger triggers triggered triggering
prevent prevents prevented preventing: avoid avoids avoided avoiding
allow allows allowed allowing: permit permits permitted permitting
call calls called calling: name names named naming
celebrate celebrates celebrated celebrating: honor honors honored honoring
cook cooks cooked cooking: prepare prepares prepared preparing
eat eats ate eaten eating: consume consumes consumed consumed consuming
drink drinks drank drinking: sip sips sipped sipping
run runs ran running: jog jogs jogged jogging
hike hikes hiked hiking: trek treks trekked trekking
paint paints painted painting: draw draws drew drawing
play plays played playing: perform performs performed performing
spend spends spent spending: pay pays paid paying
earn earns earned earning: make makes made making
own owns owned owning: possess possesses possessed possessing
grow grows grew grown growing: expand expands expanded expanded expanding
recommend recommends recommended recommending: suggest suggests suggested suggesting
suggest suggests suggested suggesting: propose proposes proposed proposing
describe describes described describing: depict depicts depicted depicting
explain explains explained explaining: clarify clarifies clarified clarifying
worry worries worried worrying: fret frets fretted fretting
marry marries married marrying: wed weds wedded wedding
die dies died dying: perish perishes perished perishing
book books: volume volumes
movie movies: film films
film films: movie movies
song songs: tune tunes
picture pictures: image images
photo photos: picture pictures
image images: picture pictures
car cars: automobile automobiles
bike bikes: bicycle bicycles
house houses: home homes
home homes: house houses
apartment apartments: flat flats
shop shops: store stores
store stores: shop shops
company companies: firm firms
job jobs: occupation occupations
career careers: profession professions
boss bosses: manager managers
colleague colleagues: coworker coworkers
friend friends: buddy buddies
child children: kid kids
kid kids: child children
mother mothers: mom moms
mom moms: mother mothers
father fathers: dad dads
dad dads: father fathers
wife husband: spouse spouse
partner partners: companion companions
doctor doctors: physician physicians
teacher teachers: instructor instructors
student students: pupil pupils
person people: individual individuals
city cities: town towns
town towns: city cities
country countries: nation nations
street streets: road roads
place places: location locations
trip trips: journey journeys
vacation vacations: holiday holidays
holiday holidays: vacation vacations
party parties: celebration celebrations
gift gifts: present presents
present presents: gift gifts
food foods: meal meals
dinner dinners: supper suppers
hobby hobbies: pastime pastimes
activity activities: pursuit pursuits
event events: occasion occasions
game games: match matches
goal goals: aim aims
dream dreams: aspiration aspirations
idea ideas: thought thoughts
problem problems: issue issues
issue issues: problem problems
mistake mistakes: error errors
error errors: mistake mistakes
reason reasons: cause causes
result results: outcome outcomes
way ways: method methods
method methods: way ways
kind kinds: type types
type types: kind kinds
part parts: portion portions
piece pieces: portion portions
list lists: enumeration enumerations
thing things: item items
item items: thing things
name names: title titles
money: cash
price prices: cost costs
cost costs: price prices
salary salaries: pay pay
illness illnesses: disease diseases
disease diseases: illness illnesses
exercise exercises: workout workouts
sport sports: athletics athletics
dog dogs: puppy puppies
cat cats: kitten kittens
pet pets: animal animals
story stories: tale tales
lesson lessons: class classes
class classes: course courses
advice: counsel
feature features: capability capabilities
deadline deadlines: cutoff cutoffs
schedule schedules: timetable timetables
big bigger biggest: large larger largest
large larger largest: big bigger biggest
small smaller smallest: little littler littlest
old older oldest: aged elder eldest
new newer newest: recent later latest
good better best: fine finer finest
bad worse worst: poor poorer poorest
happy happier: glad gladder
sad sadder: unhappy unhappier
angry: mad
afraid: scared
scared: afraid
tired: exhausted
beautiful: pretty
pretty: beautiful
important: significant
hard harder hardest: difficult tougher toughest
difficult: hard
easy easier easiest: simple simpler simplest
fast faster fastest: quick quicker quickest
quick quicker quickly: fast faster rapidly
slow slower slowly: sluggish tardier sluggishly
famous: renowned
favorite favorites: preferred preferences
favourite favourites: preferred preferences
different: distinct
same: identical
whole: entire
entire: whole
main: primary
common: usual
recent recently: latest lately
first: initial
last: final
current currently: present presently
previous previously: prior formerly
often: frequently
usually: normally
maybe: perhaps
together: jointly
also: too
many: numerous
several: multiple
near: close
`
