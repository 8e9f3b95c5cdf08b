# Makes a folder with known files and lists it.
mkdir -p garden && cd garden || exit
i=0
for name in beans.csv compost.txt frost-dates.ods greenhouse.svg hedge-plan.pdf irrigation.py invoice-2031.pdf \
	lawn.md orchard.c paths.geojson photos pruning.html README roses.jpg seeds.sqlite tools.tar.gz watering.sh; do
	i=$((i + 1))
	case $name in
	photos) mkdir $name ;;
	*) head -c $((i * i * 977)) /dev/zero >$name ;;
	esac
	touch -d "2031-0$((i % 9 + 1))-1$((i % 10)) 0$((i % 8 + 1)):4$((i % 10))" $name
done
chmod +x watering.sh irrigation.py
