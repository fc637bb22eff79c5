"""Postal addresses of the United States, after Publication 28 of its Postal Service: suffixes, states, military post.

A door number and a street's name are sure where a city, a state and a ZIP code follow, whatever the street is called
(5847 Carrillo Spurs, Summermouth, SD 23916); without them the suffix says that it is a street.
"""

# What most streets are called, and their short forms.
_SUFFIXES = (
    r"Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Drive|Dr|Court|Ct|Way|Place|Pl|Terrace|Ter|Circle|Cir|Square"
    r"|Highway|Hwy|Parkway|Pkwy|Turnpike|Trail|Trl|Loop|Plaza|Crossing|Xing|Causeway|Expressway|Freeway"
)
# The others are words as well (20 New Bridges, 10 Green Hills): they count beside a word like address.
_OTHERS = (
    r"Alley|Arcade|Bayou|Beach|Bend|Bluffs?|Bottom|Branch|Bridge|Brooks?|Burgs?|Bypass|Camp|Canyon|Cape|Centers?|Circles"
    r"|Cliffs?|Club|Commons?|Corners?|Course|Courts|Coves?|Creek|Crescent|Crest|Crossroads?|Curve|Dale|Dam|Divide|Drives"
    r"|Estates?|Extensions?|Falls?|Ferry|Fields?|Flats?|Fords?|Forest|Forges?|Forks?|Fort|Gardens?|Gateway|Glens?|Greens?"
    r"|Groves?|Harbors?|Haven|Heights|Hills?|Hollow|Inlet|Islands?|Isle|Junctions?|Keys?|Knolls?|Lakes?|Land|Landing"
    r"|Lights?|Loaf|Locks?|Lodge|Mall|Manors?|Meadows?|Mews|Mills?|Mission|Motorway|Mount|Mountains?|Neck|Orchard|Oval"
    r"|Overpass|Parks?|Parkways|Pass|Passage|Path|Pike|Pines?|Plains?|Points?|Ports?|Prairie|Radial|Ramp|Ranch|Rapids?"
    r"|Rest|Ridges?|River|Roads|Route|Row|Rue|Run|Shoals?|Shores?|Skyway|Springs?|Spurs?|Squares|Station|Stravenue|Stream"
    r"|Streets|Summit|Throughway|Trace|Track|Trafficway|Trailer|Tunnel|Underpass|Unions?|Valleys?|Viaduct|Views?"
    r"|Villages?|Ville|Vista|Walks?|Wall|Ways|Wells?"
)
_STATE = (
    r"A[KLRSZ]|C[AOT]|D[CE]|F[LM]|G[AU]|HI|I[ADLN]|K[SY]|LA|M[ADEHINOPST]|N[CDEHJMVY]|O[HKR]|P[ARW]|RI|S[CD]|T[NX]|UT"
    r"|V[AIT]|W[AIVY]"
    r"|Alabama|Alaska|Arizona|Arkansas|California|Colorado|Connecticut|Delaware|Florida|Georgia|Hawaii|Idaho|Illinois"
    r"|Indiana|Iowa|Kansas|Kentucky|Louisiana|Maine|Maryland|Massachusetts|Michigan|Minnesota|Mississippi|Missouri"
    r"|Montana|Nebraska|Nevada|New (?:Hampshire|Jersey|Mexico|York)|(?:North|South) (?:Carolina|Dakota)|Ohio|Oklahoma"
    r"|Oregon|Pennsylvania|Rhode Island|Tennessee|Texas|Utah|Vermont|Virginia|Washington|West Virginia|Wisconsin"
    r"|Wyoming"
)
_MILITARY = r"(?:[ADF]PO),?[ ]A[AEP]"
_ZIP = r"[0-9]{5}(?:-[0-9]{4})?"
_NEXT_LINE = r"\r?\n[ \t>]{0,8}"
_NUMBER = r"[0-9]{1,6}[A-Za-z]?"
_DIRECTION = r"(?:[NSEW]|[NS][EW]|North|South|East|West)\.?"
_NAME = r"(?:[A-Z][A-Za-z'’\-]{0,19}\.?|[0-9]{1,3}(?:st|nd|rd|th))"
_UNIT = r"(?:Apt|Apartment|Suite|Ste|Unit|Room|Rm|Floor|Lot|#)\.?[ ]?[0-9A-Za-z\-]{1,6}"
_CITY = r"[A-Z][A-Za-z'’.\-]{1,19}(?:[ ][A-Z][A-Za-z'’.\-]{1,19}){0,3}"
_IN_CITY = rf"{_CITY}(?:,?[ ]{{1,2}}|,?{_NEXT_LINE})(?:{_STATE})(?:[ ,]{{1,3}}|{_NEXT_LINE}){_ZIP}(?![0-9])"
_STREET = (
    rf"(?:(?!(?:19|20)[0-9]{{2}}[ ]){_NUMBER}|(?:19|20)[0-9]{{2}}(?=[^\n]*(?:{_UNIT}|[ ](?:{_SUFFIXES})\b)))"
    rf"[ ](?:{_DIRECTION}[ ])?{_NAME}(?:[ ]{_NAME}){{0,4}}"
)
_BOX = r"P\.?[ ]?O\.?[ ]?Box[ ][0-9]{1,6}"
_ON_POST = r"(?:(?:Unit|PSC)[ ][0-9]{1,5}[, ]{1,2}Box[ ][0-9]{1,5}|US(?:NS|CGC|NV|S)[ ][A-Z][a-z]{1,15})"

COMPLETE = (
    rf"(?:{_STREET}(?:,?(?:[ ]|{_NEXT_LINE}){_UNIT}(?:,?[ ]|,?{_NEXT_LINE})|(?:,[ ]?|[ ]?{_NEXT_LINE}))"
    rf"|{_BOX}(?:,?[ ]|,?{_NEXT_LINE})){_IN_CITY}"
    rf"|{_ON_POST}(?:,?[ ]|,?{_NEXT_LINE}){_MILITARY}[ ,]{{1,2}}{_ZIP}"
)
"""A street and a door, a post box, or a unit overseas, with the city, the state and the ZIP code."""
TRY_COMPLETE = rf"[, \t>\n](?:{_STATE}|{_MILITARY})[ ,\t>\r\n]{{1,9}}[0-9]{{5}}"
"""For Rust's engine: its end."""

_DOOR = rf"[1-9][0-9]{{0,5}}[ ](?:(?:{_DIRECTION}|[0-9]{{1,3}}(?:st|nd|rd|th)|[A-Z][a-z]{{1,15}})\.?[ ]){{1,4}}"
_TAIL = (
    r"(?![A-Za-z])\.?(?:,?[ ](?:Apt|Apartment|Suite|Unit|#)\.?[ ]?[0-9A-Za-z\-]{1,6})?"
    r"(?P<city>,?[ ][A-Z][A-Za-z .]{1,24},?[ ][A-Z]{2}[ ,]{1,2}[0-9]{5}(?:-[0-9]{4})?)?"
)
STREET = rf"{_DOOR}(?:{_SUFFIXES}){_TAIL}"
"""A door number and a street by its suffix; the city, where it follows."""
STREET_BY_A_WORD = rf"{_DOOR}(?:{_OTHERS}){_TAIL}"
"""The same with a suffix that is a word as well."""
TRY_STREET = (
    rf"[1-9][0-9]{{0,5}} (?:[0-9A-Z][0-9A-Za-z]{{0,15}}\.? ){{0,3}}[0-9A-Z][0-9A-Za-z]{{0,15}}\.? "
    rf"(?:{_SUFFIXES}|{_OTHERS})"
)
"""For Rust's engine: either of them."""
